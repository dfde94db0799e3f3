import type { Check } from "../../model/gate.ts";
import { commandText } from "../workflows/command-text.ts";

export function describeCheck(check: Check): string {
  return "run" in check ? commandText(check.run) : `exists ${[check.exists].flat().join(", ")}`;
}
