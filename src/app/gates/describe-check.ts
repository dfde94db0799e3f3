import { commandText } from "../../model/command-text.ts";
import type { Check } from "../../model/gate.ts";

export function describeCheck(check: Check): string {
  return "run" in check ? commandText(check.run) : `exists ${[check.exists].flat().join(", ")}`;
}
