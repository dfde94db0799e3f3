import type { ContextOptions, Slots, StateDefinition } from "../../src/context/index.ts";

// A small coder, as the library's first user has it: a state each with a prompt of static text and slots.

export const countTokens = (text: string) => text.length / 4;

export const story = "Let people sign in with a passkey instead of a password.";
export const plan = "1. Add a table for passkeys. 2. Register one. 3. Sign in with it.";

const state = (title: string, kickoff: string): StateDefinition => ({
  prompt: ({ story: task, plan: steps }: Slots) =>
    [`You are a coder in ${title}.`, task && `Story: ${task}`, steps && `Plan: ${steps}`].filter(Boolean).join("\n"),
  kickoff: () => kickoff,
});

export const states = {
  SETUP: state("SETUP", "Prepare the worktree."),
  PLANNING: state("PLANNING", "Make a plan for the story."),
  PLAN_REVIEW: state("PLAN_REVIEW", "Review the plan."),
  CODING: state("CODING", "Implement the plan."),
  TESTING: state("TESTING", "Run the tests."),
  CODE_REVIEW: state("CODE_REVIEW", "Review the change."),
  BUDGET_REVIEW: state("BUDGET_REVIEW", "Decide about the budget."),
  QUESTION: state("QUESTION", "Answer the question."),
} satisfies Record<string, StateDefinition>;

export type State = keyof typeof states;

export const options = { countTokens, limits: { window: 8_000, reserve: 1_000 }, states } satisfies ContextOptions;
