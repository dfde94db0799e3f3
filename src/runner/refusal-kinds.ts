import type { Refusal } from "../model/refusal/refusal.ts";

/** Refusals that another answer of the agent can settle. */
export const aboutResult: readonly Refusal["code"][] = [
  ...(["outcome-needed", "outcome-unknown", "outcome-unexpected", "tasks-missing"] as const),
  ...(["path-outside", "artifact-missing", "variable-protected", "variable-invalid", "variable-unknown"] as const),
];

/** After these a person has to act, and the result counts when they have. */
export const aboutPeople: readonly Refusal["code"][] = ["approval-needed", "run-paused", "review-needed"];

/** The visit is over, or waits for a person to whom the agent has turned: its result is void. */
export const aboutVisit: readonly Refusal["code"][] = [
  ...(["step-stale", "claim-lost", "run-ended", "answer-needed", "decision-needed"] as const),
];
