import type { Visit } from "./run.ts";

/** Whether a person has been asked to approve and has not done so, here. */
export function waitsForApproval({ approval }: Pick<Visit, "approval">): boolean {
  return approval === "requested" || approval === "foreign";
}
