import type { Question } from "./carry.ts";
import type { Gate } from "./gate.ts";
import type { LiveRun, Run, Visit } from "./run.ts";

/** Stands apart from the schemas, so that whoever only asks this does not load them. */
export function isLive(run: Run): run is LiveRun {
  return run.status === "running" || run.status === "waiting" || run.status === "review" || run.status === "paused";
}

/** Whether a person has been asked to approve and has not done so, here. */
export function waitsForApproval({ approval }: Pick<Visit, "approval">): boolean {
  return approval === "requested" || approval === "foreign";
}

/** Apart from the schema of gates: hooks ask for this, and have no time for schemas. */
export function isApproval(gate: Gate): gate is Extract<Gate, { approval: unknown }> {
  return "approval" in gate;
}

/** What a visit waits for an answer to. */
export function openQuestion({ questions }: Pick<LiveRun, "questions">, token: string): Question | null {
  return questions.find((each) => each.token === token && each.answer === null) ?? null;
}
