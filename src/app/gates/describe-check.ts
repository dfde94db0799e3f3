import { answerText } from "../../engine/view/visit-rules.ts";
import { commandText } from "../../model/command-text.ts";
import type { Check } from "../../model/gate.ts";
import { inOneLine } from "../../model/quote.ts";

/** A check in one line. A command variable is resolved before; one without a value is named. */
export function describeCheck(check: Check): string {
  if ("command" in check) return `the command in the variable ${check.command}`;
  if ("output" in check) return check.message === undefined ? answerText(check) : inOneLine(check.message);
  return "run" in check ? commandText(check.run) : `exists ${[check.exists].flat().join(", ")}`;
}
