import type { Gate } from "../gate.ts";
import type { VariableValue } from "../ids.ts";
import type { Template } from "../template.ts";
import { declarationOf, defaultsOf } from "./declared.ts";

type Values = Readonly<Record<string, VariableValue>>;

/**
 * The checks with the commands in place of the variables that hold them. A check whose variable has no value, or is not
 * of type `command`, stays as it is, and cannot pass.
 */
export function resolveChecks<C extends Gate>(
  template: Pick<Template, "variables">,
  values: Values,
  checks: readonly C[],
): readonly C[] {
  return checks.map((check) => {
    const command = "command" in check ? commandIn(template, values, check.command) : null;
    if (!("command" in check) || command === null) return check;
    // A union with `command` has `run`, too, which the type of the list cannot express.
    return { run: command, ...(check.timeout !== undefined && { timeout: check.timeout }) } as Gate as C;
  });
}

/** The command that a variable holds; null if it holds none. A run that adopted a template has the new defaults. */
export function commandIn(template: Pick<Template, "variables">, values: Values, name: string): string | null {
  if (declarationOf(template, name)?.type !== "command") return null;
  const value = Object.hasOwn(values, name) ? values[name] : defaultsOf(template)[name];
  return typeof value === "string" && value.trim() !== "" ? value : null;
}
