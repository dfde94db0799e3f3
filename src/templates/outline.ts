import { nearest } from "../model/nearest.ts";
import { Template } from "../model/template.ts";
import type { Path } from "./problem.ts";
import { type Fields, isMap } from "./value.ts";

/** The recognizable parts of a template, however broken the rest is. The rules that cross-check names read this. */
export interface Outline {
  readonly steps: readonly Entry[];
  readonly loops: readonly { readonly id: string; readonly path: Path; readonly subSteps: readonly Entry[] }[];
  readonly transitions: readonly Entry[];
  readonly artifacts: readonly Entry[];
  readonly stepIds: Names;
  readonly loopIds: Names;
  readonly agents: Names;
  readonly variables: Names;
}

/** The names under one heading; null if the heading itself is broken, so that no name can be checked against it. */
export type Names = ReadonlySet<string> | null;

/** One map of the template, with its path. */
export interface Entry {
  readonly path: Path;
  readonly fields: Fields;
}

export function outline(value: unknown): Outline {
  const root = fieldsOf(value);
  const artifacts = fieldsOf(root.critical_artifacts);
  const steps = entriesOf(root.steps, ["steps"]);
  return {
    steps,
    loops: Object.entries(fieldsOf(root.loops)).map(([id, subSteps]) => ({
      id,
      path: ["loops", id],
      subSteps: entriesOf(subSteps, ["loops", id]),
    })),
    transitions: entriesOf(root.transitions, ["transitions"]),
    artifacts: ["always_load", "conditional_load"].flatMap((list) =>
      entriesOf(artifacts[list], ["critical_artifacts", list]),
    ),
    stepIds: Array.isArray(root.steps) ? new Set(steps.flatMap(({ fields }) => idOf(fields) ?? [])) : null,
    loopIds: namesUnder(root, "loops"),
    agents: namesUnder(root, "agents"),
    variables: namesUnder(root, "variables"),
  };
}

export function everyEntry({ steps, loops }: Outline): Entry[] {
  return [...steps, ...loops.flatMap((loop) => loop.subSteps)];
}

export function fieldsOf(value: unknown): Fields {
  return isMap(value) ? { ...value } : {};
}

export function textOf(value: unknown): string | undefined {
  return typeof value === "string" ? value : undefined;
}

/** A numeric id is reported elsewhere; references to it must not be reported as well. */
export function idOf({ id }: Fields): string | undefined {
  return typeof id === "number" ? String(id) : textOf(id);
}

export function entriesOf(value: unknown, path: Path): Entry[] {
  if (!Array.isArray(value)) return [];
  return value.map((item: unknown, index) => ({ path: [...path, index], fields: fieldsOf(item) }));
}

function namesUnder(root: Fields, heading: "agents" | "loops" | "variables"): Names {
  const part = root[heading];
  if (isMap(part)) return new Set(Object.keys(part));
  const headings = Object.keys(Template.shape);
  const misspelt = Object.keys(root).some((key) => !headings.includes(key) && nearest(key, headings) === heading);
  return part === undefined && !misspelt ? new Set() : null;
}
