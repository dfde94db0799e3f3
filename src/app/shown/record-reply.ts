import { isHoldfastError } from "../../errors.ts";
import type { Standing } from "../../journal/run-journal.ts";
import { isRunId } from "../../model/run-id.ts";
import { isLive } from "../../model/run-state.ts";
import type { Deps, Outcome } from "../../operation/operation.ts";
import { machineOf } from "../privacy/portable-text.ts";
import { visitOf } from "../runs/reply.ts";
import { recordShown, recordShownSoon, type ShownKind } from "./shown-log.ts";

export interface AgentReply {
  readonly kind: ShownKind;
  readonly operation: string;
  /** The run that the agent named. */
  readonly run: string | undefined;
  readonly outcome: Outcome<object>;
  /** What the agent gets of the outcome, in the words of its face. */
  readonly content: string | object;
}

/** Their replies tell an agent where its run stands, or bring it something to read. */
const telling = ["start", "next", "tasks", "advance", "ask", "answer", "context", "prime"];

/** Records the reply to an agent's call, now or after it was sent. A cancelled caller never sees it. */
export async function recordReply(deps: Deps, reply: AgentReply, when: "now" | "soon"): Promise<void> {
  const { caller, sessions } = deps;
  const { kind, operation, run: named, outcome, content } = reply;
  if (!telling.includes(operation) || caller.signal?.aborted === true) return;
  const said: unknown = (outcome.ok ? Reflect.get(outcome.value, "runId") : undefined) ?? named;
  const { session } = caller;
  const runId = typeof said === "string" && isRunId(said) ? said : session && sessions.runOf(session);
  if (!runId) return;
  await record(deps, runId, (standing) => ({ kind, visit: visitIn(deps, standing, outcome), content }), when);
}

/** Records what the runner asks its agent. */
export async function recordPrompt(deps: Deps, runId: string, visit: string, content: string): Promise<void> {
  await record(deps, runId, () => ({ kind: "prompt", visit, content }), "now");
}

async function record(
  deps: Deps,
  runId: string,
  shownAt: (standing: Standing) => Pick<Parameters<typeof recordShown>[2], "kind" | "visit" | "content">,
  when: "now" | "soon",
): Promise<void> {
  try {
    // The text was made of what this process knew; the run may have moved since.
    const standing = deps.journal.known(runId) ?? (await deps.journal.load(runId));
    if (standing === null) return;
    const session = deps.caller.session ?? null;
    const shown = () => ({ at: deps.now(), session, ...shownAt(standing) });
    if (when === "now") recordShown(machineOf(deps), standing, shown());
    else recordShownSoon(machineOf(deps), standing, shown);
  } catch (error) {
    // The reply has told what is wrong with the run, or the next call will.
    if (!isHoldfastError(error)) throw error;
  }
}

/** The visit that the reply names, unless it has ended; else the caller's own. */
function visitIn(deps: Deps, standing: Standing, outcome: Outcome<object>): string | null {
  const token: unknown = Reflect.get(outcome.ok ? outcome.value : outcome.refusal, "token");
  const { run } = standing;
  const named = isLive(run) ? run.visits.find((visit) => visit.token === token) : undefined;
  return (named ?? visitOf(deps, standing))?.token ?? null;
}
