import { ContextError } from "./context-error.ts";

export interface TransitionMatch {
  readonly from: string;
  readonly to: string;
  readonly reason?: string | undefined;
}

/** What a transition does to the conversation. A transition without a rule keeps it, byte for byte. */
export interface TransitionRule extends TransitionMatch {
  readonly context: "keep" | "clear";
  /** The slots that survive a clear; without a clear, all do. */
  readonly carry?: readonly string[];
  /** The slots among them that the new state needs to start. */
  readonly require?: readonly string[];
}

/** A named text that outlives the conversation. */
export interface CarrySlot {
  readonly name: string;
  /** In code points; a longer text is truncated with a mark. */
  readonly limit: number;
  /** The only transition that may write it; by default every transition may. */
  readonly writer?: TransitionMatch;
  /** The transitions that empty it. */
  readonly expires?: readonly TransitionMatch[];
  /**
   * With a tag, the library writes tag and text at the end of the prompt. Without one, the template places the text.
   */
  readonly tag?: string;
  /** Added after the tagged text. */
  readonly note?: string;
  /** Messages of this source from just before a clear fill the slot if the transition gives it no text. */
  readonly takes?: string;
}

export interface Policy {
  readonly rules: readonly TransitionRule[];
  readonly slots: readonly CarrySlot[];
}

const pivot: TransitionMatch = { from: "BUDGET_REVIEW", to: "PLANNING", reason: "PIVOT" };
const approval: TransitionMatch = { from: "PLAN_REVIEW", to: "CODING" };

/** The policy of the coder workflow. */
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

/** The rule for a transition; one that names the reason takes precedence. */
export function ruleFor(policy: Policy, transition: TransitionMatch): TransitionRule | null {
  const fitting = policy.rules.filter((rule) => rule.from === transition.from && rule.to === transition.to);
  const exact = fitting.find((rule) => rule.reason !== undefined && rule.reason === transition.reason);
  return exact ?? fitting.find((rule) => rule.reason === undefined) ?? null;
}

/** Rejects ambiguous rules and unknown names before the policy is used. */
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
