import { ContextError } from "./conversation/context-error.ts";
import type { History } from "./conversation/history-types.ts";
import { type Policy, ruleFor } from "./conversation/policy.ts";
import { keepSlots } from "./conversation/slots.ts";
import { findState, recent, type States } from "./enter.ts";

/** What a transition would do to the context in its current state. */
export interface Explanation {
  readonly context: "keep" | "clear";
  readonly messages: { readonly kept: number; readonly cleared: number };
  /** The slots that would keep their text, and those that would be emptied. */
  readonly slots: { readonly carried: readonly string[]; readonly emptied: readonly string[] };
  /** Feedback of the current state that would survive the clear. */
  readonly feedback: number;
}

export function explainTransition(
  history: History,
  { states, policy }: { readonly states: States; readonly policy: Policy },
  from: string,
  to: string,
  reason: string | undefined,
): Explanation {
  findState(states, to);
  if (!Object.hasOwn(states, from)) throw new ContextError("origin-unknown", { from, current: history.state });
  const rule = ruleFor(policy, { from, to, reason });
  const context = rule?.context ?? "keep";
  const carry = context === "clear" ? (rule?.carry ?? []) : null;
  const carried = Object.keys(keepSlots(policy, history.data, carry, { from, to, reason }));
  const { open, summary, items } = history;
  const count =
    items.length + (summary === null ? 0 : 1) + (open === null ? 0 : open.answers.length + open.waiting.length);
  return {
    context,
    messages: context === "clear" ? { kept: 0, cleared: count } : { kept: count, cleared: 0 },
    slots: { carried, emptied: Object.keys(history.data).filter((name) => !carried.includes(name)) },
    feedback: context === "clear" ? recent(history).length : 0,
  };
}
