import { isLive, waitsForApproval } from "../../model/run-state.ts";
import type { Dialog, Form } from "../../operation/dialog.ts";
import { type Deps, type Outcome, yes } from "../../operation/operation.ts";
import { takeNext } from "../commands/take-next.ts";
import { chooseRun } from "../runs/choose-run.ts";
import { type AskedAbout, deciderOf, findWait, nameOf, targetOf, type Wait } from "./find-wait.ts";
import { formOf, isComplete, variablesForm, variablesPrefix } from "./forms.ts";
import { recordAnswer } from "./record-answer.ts";

export interface AgentCall {
  /** The name of the operation. */
  readonly operation: string;
  /** The run that the agent named. */
  readonly run: string | undefined;
  /** `variables` are those that the person has given for a start. */
  perform(variables?: Readonly<Record<string, string | undefined>>): Promise<Outcome<object>>;
}

/** The reply to the agent, or a form for the person, with whose answer the call comes again. */
export type Settled =
  | { readonly type: "replied"; readonly outcome: Outcome<object> }
  | { readonly type: "asked"; readonly form: Form };

/**
 * Performs an agent's call. If the run then waits for a person whom the agent program can ask, asks. When the answer comes,
 * records it and replies with what follows. If the person does not answer, the run goes on waiting.
 */
export async function settleInDialog(deps: Deps, call: AgentCall): Promise<Settled> {
  const { dialog } = deps.caller;
  if (dialog === undefined) return replied(await call.perform());
  if (dialog.answered !== null) return useAnswer(deps, dialog, dialog.answered, call);
  const outcome = await call.perform();
  const variables = variablesForm(outcome);
  if (variables !== null && dialog.counts()) return { type: "asked", form: variables };
  if (!mayWait(outcome)) return replied(outcome);
  const wait = await findWait(deps, call.run, tokenIn(outcome));
  if (wait === null || isDeclined(dialog, call, wait) || !dialog.counts()) return replied(outcome);
  return { type: "asked", form: formOf(wait, false) };
}

/** A status only shows that a decision is due; an agent that asks for it itself is heard again. */
function isDeclined(dialog: Dialog, { operation }: AgentCall, wait: Wait): boolean {
  return dialog.declined.has(nameOf(wait)) && !["advance", "ask"].includes(operation);
}

/** The call has had its effect when the form was shown, so it is not simply made again: see `proceed`. */
async function useAnswer(
  deps: Deps,
  dialog: Dialog,
  { form, answer }: NonNullable<Dialog["answered"]>,
  call: AgentCall,
): Promise<Settled> {
  const isLeft = answer.type === "closed" || !dialog.counts();
  if (form.startsWith(variablesPrefix)) return replied(await call.perform(isLeft ? undefined : answer.values));
  const asked = targetOf(form);
  if (isLeft) {
    dialog.declined.add(form);
    return replied(await proceed(deps, call, asked));
  }
  const wait = await findWait(deps, asked.runId, asked.token);
  if (wait === null || nameOf(wait) !== form) {
    return replied(addNote(await proceed(deps, call, asked), await tooLate(deps, asked)));
  }
  if (!isComplete(wait, answer.values)) return { type: "asked", form: formOf(wait, true) };
  dialog.declined.delete(form);
  const decided = await recordAnswer(deps, wait, answer.values);
  return replied(decided.ok ? await proceed(deps, call, asked) : decided);
}

function replied(outcome: Outcome<object>): Settled {
  return { type: "replied", outcome };
}

/** Cheaper than to look at the run, which most calls need not do. */
function mayWait(outcome: Outcome<object>): boolean {
  if (!outcome.ok)
    return ["approval-needed", "review-needed", "answer-needed", "decision-needed"].includes(outcome.refusal.code);
  const status: unknown = Reflect.get(outcome.value, "status");
  // Where several tasks are open, one may wait while the run goes on.
  const waits = ["question", "decision", "review"].some((key) => Reflect.get(outcome.value, key) !== undefined);
  return status === "waiting" || status === "review" || waits;
}

/** The visit that the call was about; null if its reply names none. */
function tokenIn(outcome: Outcome<object>): string | null {
  const token: unknown = Reflect.get(outcome.ok ? outcome.value : outcome.refusal, "token");
  return typeof token === "string" ? token : null;
}

/**
 * An advance that was held up by an approval is made again, as the agent would: it passes, or is told again how the person
 * approves. In all other cases the agent gets what is to be done now.
 */
async function proceed(deps: Deps, call: AgentCall, { runId, token }: AskedAbout): Promise<Outcome<object>> {
  const chosen = await chooseRun(deps, runId);
  if (!chosen.ok) return chosen;
  const { run } = chosen.value;
  const visit = isLive(run) ? run.visits.find((each) => each.token === token) : undefined;
  const isHeldUp = visit !== undefined && (waitsForApproval(visit) || visit.approval === "given");
  if (call.operation === "advance" && isHeldUp) return call.perform();
  // An agent with several tasks goes on with the one that the person was asked about.
  return takeNext.run(deps, { run: runId, token: visit?.claim == null ? undefined : token });
}

/** The first answer on any face wins; the agent tells the person who gave it. */
async function tooLate(deps: Deps, asked: AskedAbout): Promise<string> {
  const decider = await deciderOf(deps, asked);
  return `The person's answer came too late: ${decider ?? "someone"} had decided it by then. Tell them so.`;
}

function addNote(outcome: Outcome<object>, note: string): Outcome<object> {
  return outcome.ok ? yes({ ...outcome.value, note }) : outcome;
}
