import { decide } from "../../engine/commands/decide.ts";
import { findTargetVisit } from "../../engine/commands/find-target-visit.ts";
import { isHoldfastError } from "../../errors.ts";
import type { Standing } from "../../journal/run-journal.ts";
import type { Command } from "../../model/command.ts";
import type { RunEvent } from "../../model/event.ts";
import type { Refusal } from "../../model/refusal/refusal.ts";
import type { Run, SpentVisit, StartedRun } from "../../model/run.ts";
import { isLive } from "../../model/run-state.ts";
import type { Template } from "../../model/template.ts";
import { type Deps, no, type Outcome, yes } from "../../operation/operation.ts";
import { portableCommand } from "../privacy/portable-command.ts";
import { introductionOf, isIntroduced } from "./introduction.ts";
import { syncCard } from "./sync-card.ts";

/** A run after a change. `replayed` says that the change had been made before. */
export interface Changed {
  readonly standing: Standing;
  readonly events: readonly RunEvent[];
  readonly replayed: SpentVisit | null;
}

export interface Change {
  /** A command that depends on where the run stands is made anew whenever someone else was faster. */
  readonly command: Command | ((run: StartedRun) => Command);
  /** Whether the command names nothing of this machine any more. */
  readonly portable?: boolean;
  /** The template that the run has had until now, where the command gives it another. */
  readonly adoptedFrom?: Template;
  /** What to record when the command is refused, if anything: a failed gate, a pending approval, a spent budget. */
  afterRefusal?(refusal: Refusal): readonly Command[];
  /** Gives the next visit out in the same commit, as an agent's call does. */
  readonly handOut?: boolean;
}

/** Decides a command on the run as it stands and appends what happened; whoever was overtaken decides again. */
export async function changeRun(
  deps: Deps,
  before: Standing,
  template: Template,
  change: Change,
): Promise<Outcome<Changed>> {
  const { runId } = before.run;
  let standing = before;
  const pinned = pinVisit(standing.run, change);
  for (;;) {
    const answer = decideAll(template, standing.run, pinned, deps);
    try {
      const { events, run } = answer;
      const next = events.length === 0 ? standing : await deps.journal.append(runId, standing, events, run);
      await syncCard(deps, template, standing.run, next.run, change.adoptedFrom);
      if (answer.refusal !== null) return no(answer.refusal);
      const introduced = isIntroduced(deps, next.run) ? next : await introduceCaller(deps, template, next);
      return yes({ standing: introduced, events, replayed: answer.replayed });
    } catch (error) {
      if (!isHoldfastError(error, "version-conflict")) throw error;
      const current = await lookAgain(deps, before);
      if (!current.ok) return current;
      standing = current.value;
    }
  }
}

/** A session that has come to the run by a call is noted with its host and its place, as soon as those are known. */
export async function introduceCaller(deps: Deps, template: Template, standing: Standing): Promise<Standing> {
  const command = await introductionOf(deps, standing.run);
  if (command === null) return standing;
  const changed = await changeRun(deps, standing, template, { command });
  return changed.ok ? changed.value.standing : standing;
}

/** Where the run stands after someone else was faster. With another template nothing of what was decided counts. */
async function lookAgain(deps: Deps, { run: { runId, templateHash } }: Standing): Promise<Outcome<Standing>> {
  const current = await deps.journal.load(runId);
  if (current === null) return no({ code: "run-unknown", run: runId });
  return current.run.templateHash === templateHash ? yes(current) : no({ code: "template-changed", run: runId });
}

/** An advance without a token means the visit that is open now, also after someone else was faster. */
function pinVisit(run: StartedRun, change: Change): Change {
  const { command } = change;
  if (typeof command === "function" || command.type !== "advance" || !isLive(run)) return change;
  const target = findTargetVisit(run, command);
  return target.ok ? { ...change, command: { ...command, token: target.visit.token } } : change;
}

interface Answer {
  readonly events: readonly RunEvent[];
  /** The run after these events. */
  readonly run: Run;
  readonly refusal: Refusal | null;
  readonly replayed: SpentVisit | null;
}

function decideAll(template: Template, run: StartedRun, change: Change, deps: Deps): Answer {
  const meant = typeof change.command === "function" ? change.command(run) : change.command;
  const command = change.portable === true ? meant : portableCommand(deps, run, meant);
  const at = deps.now();
  const decision = decide(template, run, command, at);
  if (!decision.ok) {
    const records = change.afterRefusal?.(decision.refusal) ?? [];
    return { refusal: decision.refusal, replayed: null, ...follow(template, { events: [], run }, records, at) };
  }
  const replayed = decision.replayed ?? null;
  const handOut: Command = { type: "hand-out", session: deps.caller.session };
  const commands = change.handOut === true && replayed === null ? [handOut] : [];
  return { refusal: null, replayed, ...follow(template, decision, commands, at) };
}

type Told = Pick<Answer, "events" | "run">;

/** What happened so far, and what commands add that follow from it; what is refused adds nothing. */
function follow(template: Template, so: Told, commands: readonly Command[], at: string): Told {
  return commands.reduce<Told>(
    ({ events, run }, command) => {
      const decision = decide(template, run, command, at);
      return decision.ok ? { events: [...events, ...decision.events], run: decision.run } : { events, run };
    },
    { events: so.events, run: so.run },
  );
}
