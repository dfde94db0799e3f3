import { checkBlocks, standsIn } from "./conversation/blocks.ts";
import { ContextError } from "./conversation/context-error.ts";
import type { Entry, History } from "./conversation/history-types.ts";
import { wordsOf } from "./conversation/message.ts";
import { type Policy, ruleFor, type TransitionMatch, type TransitionRule } from "./conversation/policy.ts";
import type { Arrival, StateEntered } from "./conversation/record.ts";
import { fill, keepSlots, readSlots, type Slots, sections } from "./conversation/slots.ts";

/** The templates of a state's prompt and first message. They get static text and the slots, never the conversation. */
export interface StateDefinition {
  prompt(data: Slots): string;
  /** The first user message of an empty conversation. It must not repeat text of the prompt. */
  kickoff?(data: Slots): string;
}

export type States = Readonly<Record<string, StateDefinition>>;

export interface EnterOptions {
  /** The reason, which rules of the policy may require. */
  readonly reason?: string;
  /** The state to leave. Throws if the context is in another one. */
  readonly from?: string;
}

/** Messages of these sources from just before a clear must not be lost. */
const feedback = "feedback";

/** Computes the result of entering a state. Pure: nothing has changed if it throws. */
export function decideEnter(
  history: History,
  { states, policy }: { readonly states: States; readonly policy: Policy },
  to: string,
  given: Slots,
  options: EnterOptions,
): StateEntered {
  const definition = findState(states, to);
  if (options.from !== undefined && options.from !== history.state) {
    throw new ContextError("origin-unknown", { from: options.from, current: history.state });
  }
  const from = history.state;
  const transition: TransitionMatch = { from: from ?? "", to, reason: options.reason };
  const rule = from === null ? null : ruleFor(policy, transition);
  const context = rule?.context ?? "keep";
  const written = readSlots(policy, given, transition);
  const carry = context === "clear" ? (rule?.carry ?? []) : null;
  const lately = context === "clear" ? recent(history) : [];
  const taken = takeFeedback(policy, carry ?? [], written, lately);
  const data = { ...keepSlots(policy, history.data, carry, transition), ...written, ...taken.slots };
  const prompt = render(definition, policy, data);
  if (context === "clear") checkCarried(rule, data, prompt, to);
  const isEmpty = context === "clear" || history.items.length === 0;
  const kickoff = isEmpty ? (definition.kickoff?.(data).trim() ?? "") : "";
  checkBlocks(data, prompt, kickoff, "kickoff");
  const arrivals: Arrival[] = [
    ...(kickoff === "" ? [] : [{ message: { role: "user", content: kickoff } as const, source: "task" }]),
    ...taken.left.map(({ message }) => ({ message, source: feedback })),
  ];
  const reason = options.reason === undefined ? {} : { reason: options.reason };
  return { type: "state-entered", from, to, ...reason, context, data, prompt, arrivals };
}

export function findState(states: States, name: string): StateDefinition {
  const definition = Object.hasOwn(states, name) ? states[name] : undefined;
  if (definition === undefined) throw new ContextError("state-unknown", { state: name, known: Object.keys(states) });
  return definition;
}

/** The feedback of the current state, including text that waits for tool results. */
export function recent({ items, open, since }: History): Entry[] {
  const entries = [...items.map((item) => item.entry), ...(open?.waiting ?? [])];
  return entries.filter((entry) => entry.id >= since && entry.source === feedback);
}

function takeFeedback(
  policy: Policy,
  carry: readonly string[],
  written: Slots,
  lately: readonly Entry[],
): { readonly slots: Slots; readonly left: readonly Entry[] } {
  const slot = policy.slots.find(({ name, takes }) => takes === feedback && carry.includes(name));
  if (slot === undefined || lately.length === 0) return { slots: {}, left: lately };
  const text = written[slot.name];
  if (text === undefined) {
    const joined = lately.map(({ message }) => wordsOf(message)).join("\n\n");
    return { slots: { [slot.name]: fill(policy, slot, joined) }, left: [] };
  }
  return { slots: {}, left: lately.filter(({ message }) => fill(policy, slot, wordsOf(message)) !== text) };
}

function render(definition: StateDefinition, policy: Policy, data: Slots): string {
  const text = definition.prompt(data);
  const prompt = [typeof text === "string" ? text.trim() : "", sections(policy, data)].filter((part) => part !== "");
  if (prompt.length > 0) return prompt.join("\n\n");
  throw new ContextError("option-invalid", { option: "the prompt of a state", problem: "is empty" });
}

function checkCarried(rule: TransitionRule | null, data: Slots, prompt: string, state: string): void {
  const lost = (rule?.require ?? []).find((slot) => (data[slot] ?? "") === "");
  const hidden = (rule?.carry ?? []).find((slot) => data[slot] !== undefined && !standsIn(prompt, data[slot]));
  const slot = lost ?? hidden;
  if (slot !== undefined) throw new ContextError("carry-missing", { slot, state });
}
