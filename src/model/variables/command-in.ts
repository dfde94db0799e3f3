import type { VariableValue } from "../ids.ts";
import type { Template } from "../template.ts";
import { declarationOf, defaultsOf } from "./declared.ts";

type Values = Readonly<Record<string, VariableValue>>;

/** The command that a variable holds; null if it holds none. A run that adopted a template has the new defaults. */
export function commandIn(template: Pick<Template, "variables">, values: Values, name: string): string | null {
  if (declarationOf(template, name)?.type !== "command") return null;
  const value = Object.hasOwn(values, name) ? values[name] : defaultsOf(template)[name];
  return typeof value === "string" && value.trim() !== "" ? value : null;
}
