import { nearest } from "../model/nearest.ts";
import { loneRoots, runFields, taskFields } from "../model/placeholder.ts";
import type { Outline } from "./outline.ts";

/**
 * The placeholder that a text in braces was probably meant to be: `tsk.title` is {task.title}, `summry` is {run.summary}.
 * Null for anything else, because braces around other text are just text.
 */
export function meantPlaceholder(template: KnownNames, text: string): string | null {
  const dot = text.indexOf(".");
  if (dot === -1) return meantByName(template, text);
  const root = nearest(text.slice(0, dot), rootNames, 1);
  if (root === null) return null;
  const known = root === "variables" ? "vars" : root;
  const name = nearest(text.slice(dot + 1), namesIn(template)[known]);
  return name === null ? null : `{${known}.${name}}`;
}

type KnownNames = Pick<Outline, "variables" | "stepIds">;

const rootNames = ["task", "run", "vars", "outputs", "variables"] as const;
type Root = Exclude<(typeof rootNames)[number], "variables">;

function namesIn({ variables, stepIds }: KnownNames): Readonly<Record<Root, Iterable<string>>> {
  return { task: taskFields, run: runFields, vars: variables ?? [], outputs: stepIds ?? [] };
}

/** A placeholder without its root, or with `_` in place of the dot. `{id}` is too common in other texts. */
function meantByName(template: KnownNames, text: string): string | null {
  const { task, run, vars } = namesIn(template);
  const meanings = new Map<string, string>([["project_root", "{project_root}"]]);
  // A variable comes last, because its name counts where a task or the run has the same.
  for (const [root, names] of Object.entries({ task, run, vars })) {
    for (const name of names) {
      meanings.set(`${root}_${name}`, `{${root}.${name}}`);
      if (name !== "id" || root === "vars") meanings.set(name, `{${root}.${name}}`);
    }
  }
  const name = nearest(text, meanings.keys(), 2);
  if (name !== null) return meanings.get(name) ?? null;
  // These are so short that two other letters make another word.
  const lone = nearest(text, loneRoots, 1);
  return lone === null ? null : `{${lone}}`;
}
