import type { VariableValue } from "../../model/ids.ts";
import type { Refusal } from "../../model/refusal/refusal.ts";
import type { Template } from "../../model/template.ts";
import { checkValue } from "../../model/variables/check-value.ts";
import { declarationOf } from "../../model/variables/declared.ts";
import { describeVariables } from "../../model/variables/describe.ts";

type Values = Readonly<Record<string, VariableValue>>;

export type TypedVariables =
  | { readonly ok: true; readonly values: Values }
  | { readonly ok: false; readonly refusal: Refusal };

/** The values as their declarations want them, or the refusal of the first that does not fit. Others stay as they are. */
export function typeVariables(template: Template, sent: Values): TypedVariables {
  const values: [string, VariableValue][] = [];
  for (const [variable, value] of Object.entries(sent)) {
    const declaration = declarationOf(template, variable);
    const checked = declaration === null ? { ok: true as const, value } : checkValue(declaration, value);
    if (!checked.ok) {
      const { problem } = checked;
      return {
        ok: false,
        refusal: { code: "variable-invalid", variable, problem, declared: describeVariables(template) },
      };
    }
    values.push([variable, checked.value]);
  }
  return { ok: true, values: Object.fromEntries(values) };
}

/** The first of these variables whose value is executed, so that only a person may set it, and only when the run starts. */
export function findCommandVariable(template: Template, sent: Values): string | null {
  return Object.keys(sent).find((name) => declarationOf(template, name)?.type === "command") ?? null;
}
