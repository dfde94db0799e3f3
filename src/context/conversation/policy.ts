import { ContextError } from "./context-error.ts";

export interface TransitionMatch {
  readonly from: string;
  readonly to: string;
  readonly reason?: string | undefined;
}

/** What a transition does to the conversation. One that no rule names keeps it, byte for byte. */
export interface TransitionRule extends TransitionMatch {
  readonly context: "keep" | "clear";
  /** The slots that survive a clear; all do when nothing is cleared. */
  readonly carry?: readonly string[];
  /** Of these, the ones without which the new state could not begin. */
  readonly require?: readonly string[];
}

/** A named text that outlives the conversation. */
export interface CarrySlot {
  readonly name: string;
  /** In code points; what is longer is cut and says so. */
  readonly limit: number;
  /** The only transition that may write it; without one, every transition may. */
  readonly writer?: TransitionMatch;
  /** The transitions that empty it. */
  readonly expires?: readonly TransitionMatch[];
  /** Written in front of the text by the library, at the end of the prompt. Without one it is the template's to place. */
  readonly tag?: string;
  /** Said after the tagged text. */
  readonly note?: string;
  /** Messages of this source, given just before a clear, go into this slot when the transition gave it no text. */
  readonly takes?: string;
}

export interface Policy {
  readonly rules: readonly TransitionRule[];
  readonly slots: readonly CarrySlot[];
}

const pivot: TransitionMatch = { from: "BUDGET_REVIEW", to: "PLANNING", reason: "PIVOT" };
const approval: TransitionMatch = { from: "PLAN_REVIEW", to: "CODING" };

/** The coder's policy: what happens to the conversation between its states. */
export const coderPolicy: Policy = {
  rules: [
    { ...approval, context: "clear", carry: ["story", "plan"], require: ["story", "plan"] },
    { ...pivot, context: "clear", carry: ["story", "plan", "pivot-feedback"], require: ["story"] },
  ],
  slots: [
    { name: "story", limit: 20_000 },
    { name: "plan", limit: 20_000 },
    {
      name: "pivot-feedback",
      limit: 2_000,
      writer: pivot,
      expires: [approval],
      tag: "**[BUDGET_PIVOT_FEEDBACK]:**",
      note: "Work already done may have to be undone or changed.",
      takes: "feedback",
    },
    { name: "git", limit: 500, writer: pivot, expires: [approval], tag: "**[WORK_STANDS_AT]:**" },
  ],
};

/** The rule for a transition; one that names the reason goes before one that does not. */
export function ruleFor(policy: Policy, transition: TransitionMatch): TransitionRule | null {
  const fitting = policy.rules.filter((rule) => rule.from === transition.from && rule.to === transition.to);
  const exact = fitting.find((rule) => rule.reason !== undefined && rule.reason === transition.reason);
  return exact ?? fitting.find((rule) => rule.reason === undefined) ?? null;
}

/** A policy with two answers, or with a word that means nothing, is refused before it is used. */
export function checkPolicy({ rules, slots }: Policy, states: readonly string[]): void {
  const refuse = (problem: string) => new ContextError("option-invalid", { option: "policy", problem });
  const names = slots.map(({ name }) => name);
  const twice = names.find((name, index) => names.indexOf(name) !== index);
  if (twice !== undefined) throw refuse(`has two slots ${twice}`);
  for (const { name, limit } of slots) {
    if (!Number.isInteger(limit) || limit < 40) throw refuse(`gives the slot ${name} no limit of 40 or more`);
  }
  for (const [index, rule] of rules.entries()) {
    const where = `${rule.from} -> ${rule.to}`;
    const same = (other: TransitionRule) =>
      other.from === rule.from && other.to === rule.to && other.reason === rule.reason;
    if (rules.findIndex(same) !== index) throw refuse(`has two rules for ${where}`);
    const stranger = [...(rule.carry ?? []), ...(rule.require ?? [])].find((name) => !names.includes(name));
    if (stranger !== undefined) throw refuse(`carries ${stranger} from ${where}, which is no slot`);
  }
  const unknown = rules.flatMap(({ from, to }) => [from, to]).find((state) => !states.includes(state));
  if (unknown !== undefined && states.length > 0) throw refuse(`names the state ${unknown}, which does not exist`);
}
