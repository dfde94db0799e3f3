import type { LiveRun, Visit } from "../../model/run.ts";
import { isActionOpen, openQuestion, waitsForApproval } from "../../model/run-state.ts";

/** What a run waits for a person to do. */
export type PersonWait =
  | { readonly type: "approval" | "review" | "decision" | "resume" }
  | { readonly type: "answer"; readonly question: string }
  | { readonly type: "context-action"; readonly action: string };

/** What a visit waits for a person to do; null if it can go on. A paused run waits for nothing else. */
export function waitOfVisit(run: LiveRun, visit: Visit): PersonWait | null {
  if (visit.review !== null) return { type: "review" };
  if (visit.pending !== undefined) return { type: "decision" };
  if (waitsForApproval(visit)) return { type: "approval" };
  const question = openQuestion(run, visit.token);
  if (question !== null) return { type: "answer", question: question.text };
  return isActionOpen(visit) ? { type: "context-action", action: visit.action.name } : null;
}
