/** The placeholders that an artifact's path may use besides the workflow's variables. */
export const pathNames = ["run_id", "run_state", "project_root", "plan_id", "work_id"] as const;

/** Used instead of a path: loads the run's own state. */
export const runStatePath = "{run_state}";

export interface PathPlaceholder {
  readonly source: string;
  readonly name: string;
}

const pattern = /\{\{|\{([\w.-]+)\}/g;

/** The placeholders. `{{` is an escaped brace; braces around anything else are plain text. */
export function placeholdersOf(path: string): readonly PathPlaceholder[] {
  return [...path.matchAll(pattern)].flatMap(([source, name]) => (name === undefined ? [] : [{ source, name }]));
}

export type FilledPath =
  | { readonly ok: true; readonly path: string }
  | { readonly ok: false; readonly unset: readonly string[] };

/** Fills the placeholders in one pass, so that placeholders inside a value are not filled. */
export function fillPath(path: string, values: Readonly<Record<string, string>>): FilledPath {
  const names = placeholdersOf(path).map(({ name }) => name);
  const unset = names.filter((name) => !Object.hasOwn(values, name) || values[name] === "");
  if (unset.length > 0) return { ok: false, unset: [...new Set(unset)] };
  return {
    ok: true,
    path: path.replace(pattern, (_, name?: string) => (name === undefined ? "{" : (values[name] ?? ""))),
  };
}

/** Whether a path stays inside the project, judging by its text. Symbolic links must be checked when it is opened. */
export function isRelativePath(path: string): boolean {
  if (path === "" || path.length > longest) return false;
  if (/^([/\\~]|[A-Za-z]:)/.test(path) || /\p{Cc}/u.test(path)) return false;
  return !path.split(/[/\\]/).includes("..");
}

/** Whether a path is absolute on this kind of system, judging by its text. Links and `~` are not resolved. */
export function isAbsolutePath(path: string): boolean {
  return path.startsWith("/") && !/\p{Cc}/u.test(path);
}

const longest = 1_000;
