import { view } from "../../engine/view/view.ts";
import { isHoldfastError } from "../../errors.ts";
import { instructionWorld } from "../../journal/outputs.ts";
import type { Standing } from "../../journal/run-journal.ts";
import type { RunEvent } from "../../model/event.ts";
import type { Visit } from "../../model/run.ts";
import { isLive } from "../../model/run-state.ts";
import type { Status } from "../../model/status.ts";
import type { Deps } from "../../operation/operation.ts";
import { worktreeTop } from "../../platform/roots.ts";
import { readListState } from "../todo/show-list.ts";
import { hasDrifted, readFrozen } from "../workflows/frozen-template.ts";

/** Where the run stands, for an agent or a person. */
export type StatusReply = Status & {
  readonly driftedTemplate?: true;
  readonly replayed?: true;
  /** That someone has changed the todo list since it was written, or that it cannot be had. */
  readonly todo?: string;
  /** What this move has put before the model, as text. */
  readonly artifacts?: string;
};

/** Asked of the host before the visit; the instructions come with the next call. */
export interface ContextActionReply {
  readonly contextAction: "/compact" | "/clear";
  readonly message: string;
  readonly runId: string;
  readonly token: string;
  readonly replayed?: true;
}

export type Reply = StatusReply | ContextActionReply;

/** What an agent's call answers: the context action alone when these events handed one out, else the status. */
export function replyTo(deps: Deps, standing: Standing, events: readonly RunEvent[]): Promise<Reply> {
  const handed = events.findLast((event) => event.type === "context-action-handed-out");
  if (handed?.type !== "context-action-handed-out") return statusOf(deps, standing);
  const contextAction = `/${handed.action}` as const;
  const message = `Please run \`${contextAction}\` first, then call workflow_status again.`;
  return Promise.resolve({ contextAction, message, runId: standing.run.runId, token: handed.token });
}

export async function statusOf(deps: Deps, standing: Standing): Promise<StatusReply> {
  const { run } = standing;
  const frozen = await readFrozen(deps, run);
  const { template } = frozen;
  const visit = visitOf(deps, standing);
  const drifted = isLive(run) && (await beside(() => hasDrifted(deps, run, frozen)));
  const status = view(template, run, visit, await instructionWorld(deps, standing, template, visit));
  const todo = isLive(run) && run.todo !== null ? await beside(() => todoNote(deps, standing)) : null;
  return { ...status, ...(drifted && { driftedTemplate: true }), ...(todo !== null && { todo }) };
}

/** What only stands beside the instructions does not keep them back: the move that they follow has been made. */
async function beside<T>(look: () => T | Promise<T>): Promise<T | null> {
  try {
    return await look();
  } catch (error) {
    if (isHoldfastError(error)) return null;
    throw error;
  }
}

/** An edit by a person is seen at the next call, before the agent replaces it. */
function todoNote(deps: Deps, standing: Standing): string | null {
  const { run } = standing;
  const root = ownRootOf(deps, standing);
  const look = root === null ? null : readListState(root, run);
  switch (look?.type) {
    case undefined:
      return null;
    case "list":
      return look.list.edited ? `${look.list.file} was changed by hand since you wrote it: read it` : null;
    case "gone":
      return `${look.file} is not there any more, or not this run's`;
    case "unreadable":
      return `${look.file} cannot be read: ${look.problem}`;
  }
}

/** The visit that this caller means: its session's, else the first open one. */
export function visitOf({ caller }: Deps, { run }: Standing): Visit | null {
  if (!isLive(run)) return null;
  const seat = run.seats.find(({ session }) => session === caller.session)?.token;
  return run.visits.find((visit) => visit.token === seat) ?? run.visits[0] ?? null;
}

/** The top of the worktree that a run works in; null when that is gone. */
export function ownRootOf({ roots }: Deps, { run }: Standing): string | null {
  return worktreeTop(roots.projectRoot, run.worktree);
}
