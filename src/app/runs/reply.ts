import type { World } from "../../engine/view/instructions.ts";
import { type OpenTask, openTasksOf } from "../../engine/view/open-tasks.ts";
import { view } from "../../engine/view/view.ts";
import { type RunningGate, runningGate } from "../../engine/view/visit-rules.ts";
import { isHoldfastError } from "../../errors.ts";
import { instructionWorld, isClaimedElsewhere, isFromElsewhere, runProjectRoot } from "../../journal/outputs.ts";
import type { Standing } from "../../journal/run-journal.ts";
import type { RunEvent } from "../../model/event.ts";
import { quote, shellWord } from "../../model/quote.ts";
import type { StartedRun, Visit } from "../../model/run.ts";
import { claimsOf, isLive, processOf, visitOfSession } from "../../model/run-state.ts";
import type { Status } from "../../model/status.ts";
import type { Template } from "../../model/template.ts";
import type { Deps } from "../../operation/operation.ts";
import { worktreeTop } from "../../platform/roots.ts";
import { isRunnerAlive } from "../../platform/runner.ts";
import { readListState } from "../todo/show-list.ts";
import { hasDrifted, readFrozen } from "../workflows/frozen-template.ts";
import type { Frozen } from "../workflows/parse-frozen.ts";

/** The state of a run, for an agent or a person. */
export type StatusReply = Status & {
  readonly driftedTemplate?: true;
  readonly replayed?: true;
  /** Set while the gates of the visit are being checked, in this process or another. */
  readonly runningGate?: RunningGate;
  /** Set when the todo list was edited by someone else, is gone, or cannot be read. */
  readonly todo?: string;
  /** What must hold before the visit may end, and what the session does not have yet: files to read, reminders, variables. */
  readonly rules?: string;
  /** What was done so far, for a session that does not have it. */
  readonly recap?: string;
  /** The text of critical artifacts that this move loads. */
  readonly artifacts?: string;
  /** Set when the agent comes back without the context action that it was asked for. */
  readonly note?: string;
  /** On the command line, the other live runs of the project; absent if there are none. */
  readonly otherRuns?: readonly string[];
  /** Set if the shared store could not be used and this is from a copy: the run may have gone on since then. */
  readonly asOf?: string;
  /** Why the shared store could not be used. */
  readonly storeProblem?: string;
  /** Set if this was asked about the past. */
  readonly moment?: MomentFacts;
};

/** The event that a reply stands right after. */
export interface MomentFacts {
  readonly event: number;
  readonly type: RunEvent["type"];
  readonly at: string;
  /** The last event of the run so far. */
  readonly last: number;
}

/** A message instead of instructions: a context action the host must run before the visit, or null if the turn is over. */
export interface MessageReply {
  readonly contextAction: "/compact" | "/clear" | null;
  readonly message: string;
  readonly runId: string;
  readonly token: string;
  readonly replayed?: true;
}

export type Reply = StatusReply | MessageReply;

/** The reply to an agent's call: only the context action if these events handed one out, otherwise the status. */
export function replyTo(deps: Deps, standing: Standing, events: readonly RunEvent[], frozen?: Frozen): Promise<Reply> {
  const handed = events.findLast((event) => event.type === "context-action-handed-out");
  if (handed?.type !== "context-action-handed-out") return statusAfter(deps, standing, events, frozen);
  const contextAction = `/${handed.action}` as const;
  const message = `Please run \`${contextAction}\` first, then ${again(deps, standing, handed.token)}. ${askPerson(contextAction)}`;
  return Promise.resolve({ contextAction, message, runId: standing.run.runId, token: handed.token });
}

/** A caller that may have several tasks has to say which one it means. */
function again({ caller: { face, session } }: Deps, { run }: Standing, token: string): string {
  const visit = isLive(run) ? run.visits.find((each) => each.token === token && each.claim != null) : undefined;
  const isNamed = visit !== undefined && isLive(run) && claimsOf(run, session).length !== 1;
  const task = isNamed && visit.place.type === "sub-step" ? ` with task ${quote(visit.place.task)}` : "";
  if (face === "mcp") return `call workflow_status again${task}`;
  return `run \`holdfast next${isNamed ? ` --token ${shellWord(token)}` : ""}\` again`;
}

/** A model cannot type a command of its own host, so it must ask the person to. */
function askPerson(action: "/compact" | "/clear"): string {
  return `If you cannot run it yourself, say to the person: "type ${action}, then say: go on", and stop.`;
}

async function statusAfter(
  deps: Deps,
  standing: Standing,
  events: readonly RunEvent[],
  frozen?: Frozen,
): Promise<StatusReply> {
  const status = await statusOf(deps, standing, frozen);
  const skipped = events.find((event) => event.type === "context-action-skipped");
  if (skipped?.type !== "context-action-skipped") return status;
  return { ...status, note: `No /${skipped.action} was seen after you were asked for it; go on without it.` };
}

/**
 * `known` is the run's frozen template, when the caller has read it already. Of a past moment only the journal tells: files
 * and processes are as they are now.
 */
export async function statusOf(
  deps: Deps,
  standing: Standing,
  known?: Frozen,
  when: "now" | "then" = "now",
): Promise<StatusReply> {
  const { run } = standing;
  const frozen = known ?? (await readFrozen(deps, run));
  const { template } = frozen;
  const visit = visitOf(deps, standing);
  const isNow = when === "now";
  const isAlive = isNow ? isRunnerAlive : () => true;
  const drifted = isNow && isLive(run) && (await optional(() => hasDrifted(deps, run, frozen)));
  const { usage, ...status } = await viewFor(deps, standing, template, visit);
  const openTasks = visit === null ? openTasksFor(deps, run) : [];
  const todo = isNow && isLive(run) && run.todo !== null ? await optional(() => todoNote(deps, standing)) : null;
  // Most visits wait for no process, and to read the clock takes longer than to see that.
  const isBusy = visit !== null && processOf(visit) !== null;
  const gate = isBusy ? runningGate(template, run, visit, deps.now(), isAlive) : null;
  return {
    ...status,
    // A model can do nothing with these numbers, and would get them with every reply.
    ...(usage !== undefined && deps.caller.face !== "mcp" && { usage }),
    ...(isLive(run) && run.drive && isAlive(run.drive.runner) && { driven: drivenBy(run.drive) }),
    ...(openTasks.length > 0 && { openTasks }),
    ...(gate !== null && { runningGate: gate }),
    ...(drifted && { driftedTemplate: true }),
    ...(todo !== null && { todo }),
  };
}

/** The views of a state of a run, by reader: an agent often asks again before it moves the run. */
const views = new WeakMap<StartedRun, Map<string, Status>>();

async function viewFor(deps: Deps, standing: Standing, template: Template, visit: Visit | null): Promise<Status> {
  const { run } = standing;
  const reader = readerOf(deps);
  const words = deps.caller.words ?? deps.caller.face;
  const root = runProjectRoot(deps.roots, visit?.claim ?? run);
  const key = JSON.stringify([visit?.token, reader.session, reader.isBetweenTasks, words, root]);
  const ofRun = views.get(run) ?? new Map<string, Status>();
  // What a driven agent still has changes with each of its prompts.
  const mayKeep = reader.knows === undefined;
  const kept = mayKeep ? ofRun.get(key) : undefined;
  if (kept !== undefined) return kept;
  const world = await instructionWorld(deps, standing, template, visit, words);
  const fresh = view(template, run, visit, { ...world, ...reader });
  // A request may be in a file, which is written again if it is gone.
  if (mayKeep && world.request === undefined) views.set(run, ofRun.set(key, fresh));
  return fresh;
}

function drivenBy({ agent, since }: NonNullable<StartedRun["drive"]>): NonNullable<StatusReply["driven"]> {
  return { agent, since };
}

function readerOf({ caller: { session, visit, knows } }: Deps): Pick<World, "session" | "isBetweenTasks" | "knows"> {
  return { session, isBetweenTasks: visit === null, ...(knows !== undefined && { knows }) };
}

/** A person sees them all; an agent those that are free, and its own, unless it may be one of several subagents. */
function openTasksFor({ caller: { session, visit } }: Deps, run: StartedRun): OpenTask[] {
  const tasks = openTasksOf(run);
  if (session === undefined) return tasks;
  const isOwn = (task: OpenTask) => visit !== null && task.session !== undefined && task.session === session;
  return tasks.filter((task) => task.state === "free" || isOwn(task));
}

/** Extras must not hold back the instructions: the move has already been made. */
async function optional<T>(look: () => T | Promise<T>): Promise<T | null> {
  try {
    return await look();
  } catch (error) {
    if (isHoldfastError(error)) return null;
    throw error;
  }
}

/** Tells the agent about a person's edit before it replaces the list. */
function todoNote(deps: Deps, standing: Standing): string | null {
  const { run } = standing;
  const root = ownRootOf(deps, standing);
  const state = root === null ? null : readListState(root, run);
  switch (state?.type) {
    case undefined:
      return null;
    case "list":
      return state.list.edited
        ? `${state.list.file} was edited since you wrote it; read it before you replace it`
        : null;
    case "gone":
      return `${state.file} is gone or belongs to another run`;
    case "unreadable":
      return `${state.file} cannot be read: ${state.problem}`;
  }
}

/** The visit that the call is about, otherwise that of the calling session. */
export function visitOf({ caller: { visit: token, session } }: Deps, { run }: Pick<Standing, "run">): Visit | null {
  if (!isLive(run)) return null;
  const named = run.visits.find((visit) => visit.token === token);
  return named ?? (token === null ? null : visitOfSession(run, session));
}

/** The top folder of the run's worktree; null when the worktree is gone. */
export function ownRootOf(deps: Deps, { run }: Standing): string | null {
  return worktreeTop(deps.roots.projectRoot, worktreeOf(deps, run));
}

/** The top folder of the worktree that a visit is worked on in; null when it is gone, or in another clone. */
export function rootOfVisit(deps: Deps, { run }: Standing, { claim }: Pick<Visit, "claim">): string | null {
  if (isClaimedElsewhere(deps.roots, claim)) return null;
  return worktreeTop(deps.roots.projectRoot, claim == null ? worktreeOf(deps, run) : claim.worktree);
}

function worktreeOf({ roots }: Deps, { runId, worktree }: Standing["run"]): string | null {
  return isFromElsewhere(roots, runId) ? roots.worktree : worktree;
}
