import type { World } from "../engine/instructions.ts";
import { rulesOf } from "../engine/rules.ts";
import { view } from "../engine/view.ts";
import type { RunEvent } from "../model/event.ts";
import { isLive } from "../model/live.ts";
import { parseText } from "../model/placeholder.ts";
import type { Visit } from "../model/run.ts";
import type { Status } from "../model/status.ts";
import type { Template } from "../model/template.ts";
import { worktreeTop } from "../platform/roots.ts";
import { hasDrifted, readFrozen } from "./frozen-template.ts";
import type { Deps } from "./operation.ts";
import type { Standing } from "./run-journal.ts";
import { listOf } from "./todo/show-list.ts";

/** Where the run stands, for an agent or a person. */
export type StatusReply = Status & {
  readonly driftedTemplate?: true;
  readonly replayed?: true;
  /** That someone has changed the todo list since it was written. */
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
export async function replyTo(deps: Deps, standing: Standing, events: readonly RunEvent[]): Promise<Reply> {
  const handed = events.findLast((event) => event.type === "context-action-handed-out");
  if (handed?.type !== "context-action-handed-out") return statusOf(deps, standing);
  const contextAction = `/${handed.action}` as const;
  const message = `Please run \`${contextAction}\` first, then call workflow_status again.`;
  return { contextAction, message, runId: standing.run.runId, token: handed.token };
}

export async function statusOf(deps: Deps, standing: Standing): Promise<StatusReply> {
  const { run } = standing;
  const frozen = await readFrozen(deps, run);
  const { template } = frozen;
  const visit = visitOf(deps, standing);
  const drifted = isLive(run) && (await hasDrifted(deps, run, frozen));
  const status = view(template, run, visit, await worldOf(deps, standing, template, visit));
  const todo = isLive(run) ? todoNote(deps, standing) : null;
  return { ...status, ...(drifted && { driftedTemplate: true }), ...(todo !== null && { todo }) };
}

/** An edit by a person is seen at the next call, before the agent replaces it. */
function todoNote(deps: Deps, standing: Standing): string | null {
  const { run } = standing;
  const root = run.todo === null ? null : ownRootOf(deps, standing);
  if (run.todo === null || root === null) return null;
  const list = listOf(root, run);
  if (list === null) return `${run.todo.file} is not there any more, or not this run's`;
  return list.edited ? `${list.file} was changed by hand since you wrote it: read it` : null;
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

/** The same for a look: the worktree that we are in when the run's own is gone. */
export function projectRootOf(deps: Deps, standing: Standing): string {
  return ownRootOf(deps, standing) ?? deps.roots.projectRoot;
}

/** Only the outputs that the visit's instructions name are read from the journal. */
async function worldOf(deps: Deps, standing: Standing, template: Template, visit: Visit | null): Promise<World> {
  const rules = visit === null ? null : rulesOf(template, visit.place);
  const named = parseText(rules?.instructions ?? "").flatMap((part) =>
    part.type === "placeholder" && part.root === "outputs" ? [part.name] : [],
  );
  const outputs = new Map<string, string>();
  for (const step of new Set(named)) {
    const output = await latestOutput(deps, standing, step);
    if (output !== null) outputs.set(step, output);
  }
  return {
    outputOf: (step) => outputs.get(step),
    // Looked for only when the instructions name it, which few do.
    get projectRoot() {
      return projectRootOf(deps, standing);
    },
  };
}

async function latestOutput(deps: Deps, standing: Standing, step: string): Promise<string | null> {
  const ref = Object.hasOwn(standing.outputs, step) ? standing.outputs[step] : undefined;
  const commit = ref === undefined ? null : await deps.journal.find(standing.run.runId, ref);
  const event = commit?.events.findLast(
    (each) => (each.type === "visit-ended" || each.type === "visit-failed") && each.place.step === step,
  );
  return event?.type === "visit-ended" || event?.type === "visit-failed" ? event.output : null;
}
