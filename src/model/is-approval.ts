import type { Gate } from "./gate.ts";

/** Apart from the schema of gates: hooks ask for this, and have no time for schemas. */
export function isApproval(gate: Gate): gate is Extract<Gate, { approval: unknown }> {
  return "approval" in gate;
}
