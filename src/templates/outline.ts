import type { Path } from "./problem.ts";

/** A template as far as it can be made out, however broken the rest is. Rules that cross-check names read this. */
export interface Outline {
  readonly steps: readonly Entry[];
  readonly loops: readonly { readonly id: string; readonly path: Path; readonly subSteps: readonly Entry[] }[];
  readonly agents: readonly string[];
  readonly variables: readonly string[];
  readonly transitions: readonly Entry[];
  readonly artifacts: readonly Entry[];
}

/** One map of the template, with its path. */
export interface Entry {
  readonly path: Path;
  readonly fields: Fields;
}

export type Fields = Readonly<Record<string, unknown>>;

export function outline(value: unknown): Outline {
  const root = fieldsOf(value);
  const artifacts = fieldsOf(root.critical_artifacts);
  return {
    steps: entriesOf(root.steps, ["steps"]),
    loops: Object.entries(fieldsOf(root.loops)).map(([id, subSteps]) => ({
      id,
      path: ["loops", id],
      subSteps: entriesOf(subSteps, ["loops", id]),
    })),
    agents: Object.keys(fieldsOf(root.agents)),
    variables: Object.keys(fieldsOf(root.variables)),
    transitions: entriesOf(root.transitions, ["transitions"]),
    artifacts: ["always_load", "conditional_load"].flatMap((list) =>
      entriesOf(artifacts[list], ["critical_artifacts", list]),
    ),
  };
}

export function fieldsOf(value: unknown): Fields {
  return typeof value === "object" && value !== null && !Array.isArray(value) ? { ...value } : {};
}

export function textOf(value: unknown): string | undefined {
  return typeof value === "string" ? value : undefined;
}

export function idsOf(entries: readonly Entry[]): string[] {
  return entries.flatMap(({ fields }) => textOf(fields.id) ?? []);
}

export function entriesOf(value: unknown, path: Path): Entry[] {
  if (!Array.isArray(value)) return [];
  return value.map((item: unknown, index) => ({ path: [...path, index], fields: fieldsOf(item) }));
}
