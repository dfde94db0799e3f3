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
  /** The budget of the whole run; without fields if there is none. */
  readonly budget: Entry;
  /** The variables with a type; the short form is not among them. */
  readonly declarations: readonly Entry[];
  readonly reminders: readonly { readonly path: Path; readonly text: string }[];
  readonly stepIds: Names;
  readonly loopIds: Names;
  readonly agents: Names;
  readonly agentEntries: readonly Entry[];
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
  const under = (heading: string) => keyFor(root, heading, headings);
  const [stepsKey, loopsKey, remindersKey] = [under("steps"), under("loops"), under("key_reminders")];
  const artifacts = fieldsOf(root.critical_artifacts);
  const steps = entriesOf(root[stepsKey], [stepsKey]);
  return {
    steps,
    loops: Object.entries(fieldsOf(root[loopsKey])).map(([id, subSteps]) => ({
      id,
      path: [loopsKey, id],
      subSteps: entriesOf(subSteps, [loopsKey, id]),
    })),
    transitions: entriesOf(root.transitions, ["transitions"]),
    artifacts: ["always_load", "conditional_load"].flatMap((list) =>
      entriesOf(artifacts[list], ["critical_artifacts", list]),
    ),
    budget: { path: [under("budget")], fields: fieldsOf(root[under("budget")]) },
    declarations: Object.entries(fieldsOf(root[under("variables")])).flatMap(([name, declared]) =>
      isMap(declared) ? [{ path: [under("variables"), name], fields: fieldsOf(declared) }] : [],
    ),
    reminders: textsOf(root[remindersKey]).map(([index, text]) => ({ path: [remindersKey, index], text })),
    stepIds: Array.isArray(root[stepsKey]) ? new Set(steps.flatMap(({ fields }) => idOf(fields) ?? [])) : null,
    loopIds: namesUnder(root, loopsKey),
    agents: namesUnder(root, under("agents")),
    agentEntries: Object.entries(fieldsOf(root[under("agents")])).map(([name, agent]) => ({
      path: [under("agents"), name],
      fields: fieldsOf(agent),
    })),
    variables: namesUnder(root, under("variables")),
  };
}

const headings = Object.keys(Template.shape);

/** The key of a part: its own name or, if that is absent, the unknown key that was probably meant to be it. */
export function keyFor(fields: Fields, name: string, known: readonly string[]): string {
  if (Object.hasOwn(fields, name)) return name;
  return Object.keys(fields).find((key) => !known.includes(key) && nearest(key, known) === name) ?? name;
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

function namesUnder(root: Fields, key: string): Names {
  const part = root[key];
  if (isMap(part)) return new Set(Object.keys(part));
  return part === undefined ? new Set() : null;
}

function textsOf(value: unknown): [number, string][] {
  const items: readonly unknown[] = Array.isArray(value) ? value : [];
  return items.flatMap((item, index): [number, string][] => (typeof item === "string" ? [[index, item]] : []));
}
