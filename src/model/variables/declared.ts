import type { VariableValue } from "../ids.ts";
import type { Template, VariableDeclaration } from "../template.ts";

type Declaring = Pick<Template, "variables">;

/** The declaration of a variable with a type; null for the short form, and for a name that is not declared. */
export function declarationOf({ variables = {} }: Declaring, name: string): VariableDeclaration | null {
  const declared = Object.hasOwn(variables, name) ? variables[name] : undefined;
  return typeof declared === "object" ? declared : null;
}

/** All variables with a type, by name. */
export function declarationsOf(template: Declaring): readonly (readonly [string, VariableDeclaration])[] {
  return Object.keys(template.variables ?? {}).flatMap((name) => {
    const declaration = declarationOf(template, name);
    return declaration === null ? [] : [[name, declaration] as const];
  });
}

/** The values that a run begins with if nothing else is given. A variable without a default has none. */
export function defaultsOf({ variables = {} }: Declaring): Readonly<Record<string, VariableValue>> {
  const defaults = Object.entries(variables).flatMap(([name, declared]) => {
    const value = typeof declared === "object" ? declared.default : declared;
    return value === undefined ? [] : [[name, value] as const];
  });
  return Object.fromEntries(defaults);
}
