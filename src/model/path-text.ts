/** What every path of an artifact may name besides the workflow's variables. */
export const pathNames = ["run_id", "run_state", "project_root", "plan_id", "work_id"] as const;

/** The run's own state, folded when it is loaded, in the place of a path. */
export const runStatePath = "{run_state}";

export interface PathPlaceholder {
  readonly source: string;
  readonly name: string;
}

const pattern = /\{\{|\{([\w.-]+)\}/g;

/** The names in braces. `{{` is a brace; braces around anything else are just text. */
export function placeholdersOf(path: string): readonly PathPlaceholder[] {
  return [...path.matchAll(pattern)].flatMap(([source, name]) => (name === undefined ? [] : [{ source, name }]));
}

export type FilledPath =
  | { readonly ok: true; readonly path: string }
  | { readonly ok: false; readonly unset: readonly string[] };

/** Puts values in the place of names, in one pass: what a value contains is never read again. */
export function fillPath(path: string, values: Readonly<Record<string, string>>): FilledPath {
  const names = placeholdersOf(path).map(({ name }) => name);
  const unset = names.filter((name) => !Object.hasOwn(values, name) || values[name] === "");
  if (unset.length > 0) return { ok: false, unset: [...new Set(unset)] };
  return {
    ok: true,
    path: path.replace(pattern, (_, name?: string) => (name === undefined ? "{" : (values[name] ?? ""))),
  };
}

/** Whether a path, as it is written, stays inside the project. Whether a link leads out of it is for whoever opens it. */
export function isRelativePath(path: string): boolean {
  if (path === "" || path.length > longest) return false;
  if (/^([/\\~]|[A-Za-z]:)/.test(path) || /\p{Cc}/u.test(path)) return false;
  return !path.split(/[/\\]/).includes("..");
}

const longest = 1_000;
