import type { Evidence, Gate } from "../../model/gate.ts";
import type { Visit } from "../../model/run.ts";
import { isApproval, waitsForApproval } from "../../model/run-state.ts";
import { type Refused, refuse } from "./decision.ts";

/** Fails closed: a gate without evidence has not passed. A person is asked only after all other gates have passed. */
export function checkGates(visit: Visit, gates: readonly Gate[], evidence: readonly Evidence[]): Refused | null {
  const asks = gates.some(isApproval) && visit.approval !== "given";
  if (asks && waitsForApproval(visit)) return refuse({ code: "approval-needed", token: visit.token });
  const checks = gates.flatMap((gate, index) => (isApproval(gate) ? [] : [index]));
  const failed = evidence.find((one) => checks.includes(one.gate) && !one.held);
  if (failed !== undefined) {
    const { gate, what, exitCode = null, tail = "" } = failed;
    return refuse({ code: "gate-failed", gate, what, exitCode, tail });
  }
  const unchecked = checks.filter((index) => !holds(evidence, index));
  if (unchecked.length > 0) return refuse({ code: "gate-unchecked", gates: unchecked });
  return asks ? refuse({ code: "approval-needed", token: visit.token }) : null;
}

export function holds(evidence: readonly Evidence[], index: number): boolean {
  const about = evidence.filter((one) => one.gate === index);
  return about.length > 0 && about.every((one) => one.held);
}
