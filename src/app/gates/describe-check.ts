import type { Gate } from "../../model/gate.ts";
import { commandText } from "../workflows/command-text.ts";

/** A check that needs no person. */
export type MachineCheck = Exclude<Gate, { approval: unknown }>;

export function describeCheck(check: MachineCheck): string {
  return "run" in check ? commandText(check.run) : `exists ${[check.exists].flat().join(", ")}`;
}
