import { decide } from "../../engine/commands/decide.ts";
import type { Outputs } from "../../engine/commands/decision.ts";
import { isHoldfastError } from "../../errors.ts";
import { conditionOutputs } from "../../journal/condition-outputs.ts";
import type { Standing } from "../../journal/run-journal.ts";
import type { Command, CommandType } from "../../model/command.ts";
import type { RunEvent } from "../../model/event.ts";
import type { Refusal } from "../../model/refusal/refusal.ts";
import type { Run, SpentVisit, StartedRun } from "../../model/run.ts";
import { isLive } from "../../model/run-state.ts";
import type { Template } from "../../model/template.ts";
import { type Deps, no, type Outcome, refuseStale, yes } from "../../operation/operation.ts";
import { isRunnerAlive } from "../../platform/runner.ts";
import { findSettings } from "../../project/compiled-settings.ts";
import { environmentOf } from "../../sessions/environment.ts";
import { commitAndRemember, lostSessions } from "../../sessions/session-log.ts";
import { portableCommand } from "../privacy/portable-text.ts";
import { focusAfter } from "./focus.ts";
import { keepLeases } from "./keep-leases.ts";
import { syncCard } from "./sync-card.ts";

/** A run after a change. `replayed` is set when the change had been made before. */
export interface Changed {
  readonly standing: Standing;
  readonly events: readonly RunEvent[];
  readonly replayed: SpentVisit | null;
}

export interface Change {
  /** Pass a function when the command depends on the state: it is called again after a conflict. */
  readonly command: Command | ((run: StartedRun) => Command | Promise<Command>);
  /**
   * Commands without texts that are decided before it, and recorded in the same commit even if it is refused. One that is
   * refused itself adds nothing.
   */
  readonly first?: readonly Command[];
  /** True when paths and secrets of this machine were already replaced in the command. */
  readonly portable?: boolean;
  /** The run's previous template, when the command replaces it. */
  readonly adoptedFrom?: Template;
  /** Commands to record after a refusal: a failed gate, a pending approval, a spent budget. */
  afterRefusal?(refusal: Refusal): readonly Command[];
  /** Hands out the next visit in the same commit, as an agent's call does. */
  readonly handOut?: boolean;
}

/** Decides a command on the current state and appends the events. After a version conflict it decides again. */
export async function changeRun(
  deps: Deps,
  before: Standing,
  template: Template,
  change: Change,
): Promise<Outcome<Changed>> {
  const { runId } = before.run;
  let standing = before;
  for (;;) {
    const outputs = await outputsFor(deps, standing, template, change);
    const meant = { ...change, command: await commandFor(change, standing.run) };
    const decided = decideAll(template, standing.run, meant, deps, outputs);
    try {
      const { events, run } = decided;
      const commit = () => deps.journal.append(runId, standing, events, run);
      const next = events.length === 0 ? standing : await commitAndRemember(deps.sessions, runId, events, commit);
      await noteClaims(deps, standing.run, next.run, events);
      await syncCard(deps, template, standing.run, next.run, change.adoptedFrom);
      if (decided.refusal !== null) {
        refuseStale(deps);
        return no(decided.refusal);
      }
      return yes({ standing: await introduceCaller(deps, template, next), events, replayed: decided.replayed });
    } catch (error) {
      if (!isHoldfastError(error, "version-conflict")) throw error;
      const current = await lookAgain(deps, before);
      if (!current.ok) return current;
      standing = current.value;
    }
  }
}

async function noteClaims(deps: Deps, before: StartedRun, after: StartedRun, events: readonly RunEvent[]) {
  if (after.claims !== undefined) await keepLeases(deps, before, after, events);
}

/** Records host and environment of the calling session as soon as its hooks have reported them. */
export async function introduceCaller(deps: Deps, template: Template, standing: Standing): Promise<Standing> {
  const command = await introductionOf(deps, standing.run);
  if (command === null) return standing;
  const changed = await changeRun(deps, standing, template, { command });
  return changed.ok ? changed.value.standing : standing;
}

/** Reloads the run after a conflict. If its template changed meanwhile, the decision no longer applies. */
async function lookAgain(deps: Deps, { run: { runId, templateHash } }: Standing): Promise<Outcome<Standing>> {
  const current = await deps.journal.load(runId);
  if (current === null) return no({ code: "run-unknown", run: runId });
  return current.run.templateHash === templateHash ? yes(current) : no({ code: "template-changed", run: runId });
}

interface Decided {
  readonly events: readonly RunEvent[];
  /** The run after these events. */
  readonly run: Run;
  readonly refusal: Refusal | null;
  readonly replayed: SpentVisit | null;
}

/** The commands that can enter a step, whose condition may read outputs. */
const entering: readonly CommandType[] = ["advance", "set-tasks", "review", "goto", "decide", "reopen", "end-command"];

async function outputsFor(deps: Deps, standing: Standing, template: Template, { command }: Change): Promise<Outputs> {
  if (typeof command === "function" || !entering.includes(command.type)) return {};
  const hasConditions = [template.steps, ...Object.values(template.loops ?? {})].flat().some((each) => each.when);
  return hasConditions ? conditionOutputs(deps, standing, template) : {};
}

async function commandFor({ command }: Change, run: StartedRun): Promise<Command> {
  return typeof command === "function" ? command(run) : command;
}

type MeantChange = Change & { readonly command: Command };

function decideAll(template: Template, run: StartedRun, change: MeantChange, deps: Deps, outputs: Outputs): Decided {
  const meant = change.command;
  const command = inWorktree(deps, change.portable === true ? meant : portableCommand(deps, run, meant));
  const at = deps.now();
  const begun = follow(template, { events: [], run }, change.first ?? [], at);
  const decision = decide(template, begun.run, command, at, outputs);
  if (!decision.ok) {
    const records = change.afterRefusal?.(decision.refusal) ?? [];
    return { refusal: decision.refusal, replayed: null, ...follow(template, begun, records, at) };
  }
  const replayed = decision.replayed ?? null;
  const focus = decision.run.status === "absent" ? null : focusAfter(decision.run, decision.events);
  const handOut: Command = { type: "hand-out", session: deps.caller.session, token: focus ?? undefined };
  const commands = change.handOut === true && replayed === null && focus !== null ? [handOut] : [];
  const moved = { events: [...begun.events, ...decision.events], run: decision.run };
  return { refusal: null, replayed, ...follow(template, moved, commands, at) };
}

/** A claim is made where the caller works. */
function inWorktree({ roots: { worktree }, clone }: Deps, command: Command): Command {
  const { type } = command;
  const isClaimant = type === "claim" || type === "advance" || type === "set-tasks";
  return isClaimant ? { ...command, worktree, clone: clone() } : command;
}

type Progress = Pick<Decided, "events" | "run">;

/** Adds the events of commands; a refused one adds nothing. */
function follow(template: Template, so: Progress, commands: readonly Command[], at: string): Progress {
  return commands.reduce<Progress>(
    ({ events, run }, command) => {
      const decision = decide(template, run, command, at);
      return decision.ok ? { events: [...events, ...decision.events], run: decision.run } : { events, run };
    },
    { events: so.events, run: so.run },
  );
}

/** True when the run knows the calling session and its program, or has never seen that session. */
function isIntroduced({ caller: { session, hostVersion } }: Deps, run: StartedRun): boolean {
  const known = run.sessions.find(({ id }) => id === session);
  if (!isLive(run) || known === undefined) return true;
  return known.host !== null && (hostVersion ?? known.hostVersion) === known.hostVersion;
}

/**
 * The command that records host and environment of the calling session. A run that is started or taken over in the
 * middle of a conversation has not seen that session's start.
 */
async function introductionOf(deps: Deps, run: StartedRun): Promise<Command | null> {
  const { roots, sessions } = deps;
  const { session, hostVersion } = deps.caller;
  if (session === undefined || isIntroduced(deps, run)) return null;
  const { host, ended } = sessions.read(session);
  if (host === null || ended !== null) return null;
  const { settings } = await findSettings(roots.stateRoot);
  const environment = environmentOf({ roots, settings, cwd: roots.projectRoot });
  const lost = lostSessions({ sessions, isAlive: isRunnerAlive }, run);
  return { type: "start-session", session, host, hostVersion, source: "call", environment, lost };
}
