import { createDisarm } from "../../model/look-alike.ts";
import { truncateHead } from "../../model/truncate.ts";
import { ContextError } from "./context-error.ts";
import type { CarrySlot, Policy, TransitionMatch } from "./policy.ts";

export type Slots = Readonly<Record<string, string>>;

/** The texts that a transition writes into slots: trimmed, truncated, with look-alikes of the slots' tags disarmed. */
export function readSlots(policy: Policy, given: Slots, transition: TransitionMatch): Record<string, string> {
  const known = policy.slots.map(({ name }) => name);
  const read = Object.entries(given).map(([name, text]) => {
    const slot = policy.slots.find((candidate) => candidate.name === name);
    if (slot === undefined) throw new ContextError("slot-unknown", { slot: name, known });
    if (typeof text !== "string") {
      throw new ContextError("option-invalid", { option: `the slot ${name}`, problem: "is not text" });
    }
    if (slot.writer !== undefined && !matches(slot.writer, transition)) {
      throw new ContextError("slot-closed", { slot: name, writer: wordTransition(slot.writer) });
    }
    return [name, fill(policy, slot, text)] as const;
  });
  return Object.fromEntries(read.filter(([, text]) => text !== ""));
}

export function fill(policy: Policy, slot: CarrySlot, text: string): string {
  return truncateHead(disarmAll(policy, text.replace(/\p{Surrogate}/gu, "\uFFFD").trim()), slot.limit);
}

/** The slots after the transition. */
export function keepSlots(
  policy: Policy,
  data: Slots,
  carry: readonly string[] | null,
  transition: TransitionMatch,
): Slots {
  const kept = policy.slots.filter(
    ({ name, expires = [] }) =>
      (carry === null || carry.includes(name)) && !expires.some((end) => matches(end, transition)),
  );
  return Object.fromEntries(kept.flatMap(({ name }) => (Object.hasOwn(data, name) ? [[name, data[name] ?? ""]] : [])));
}

/** The sections that the library adds at the end of a prompt, in the order of the slots. */
export function sections(policy: Policy, data: Slots): string {
  return policy.slots
    .flatMap(({ name, tag, note }) => {
      const text = data[name];
      if (tag === undefined || text === undefined) return [];
      return [`${tag} ${quoted(text)}`, ...(note === undefined ? [] : [note])];
    })
    .join("\n");
}

/** Quoted on one line, so that no line of the text can start a section. */
export function quoted(text: string): string {
  return JSON.stringify(text);
}

function matches(pattern: TransitionMatch, { from, to, reason }: TransitionMatch): boolean {
  return pattern.from === from && pattern.to === to && (pattern.reason === undefined || pattern.reason === reason);
}

function wordTransition({ from, to, reason }: TransitionMatch): string {
  return `${from} -> ${to}${reason === undefined ? "" : ` (${reason})`}`;
}

function disarmAll(policy: Policy, text: string): string {
  return policy.slots.reduce((safe, { tag }) => (tag === undefined ? safe : createDisarm(tag)(safe)), text);
}
