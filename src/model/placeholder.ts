/** Part of a text: plain text, a placeholder that a run fills, or an end of a part that depends on one. */
export type TextPart =
  | { readonly type: "text"; readonly text: string }
  | (Named & { readonly type: "placeholder" | "opening" })
  | { readonly type: "closing"; readonly source: string };

interface Named {
  readonly source: string;
  readonly root: PlaceholderRoot;
  readonly name: string;
}

/** What a placeholder begins with. Those that stand alone have no name. */
export type PlaceholderRoot = "task" | "run" | "outputs" | "vars" | LoneRoot;
type LoneRoot = (typeof loneRoots)[number];

export const loneRoots = ["project_root", "pass", "passes", "gates"] as const;
export const taskFields = ["id", "title", "description"] as const;
export const runFields = ["id", "summary", "request"] as const;

const pattern = /\{\{|\{\/\}|\{(\??)(?:(project_root|passes|pass|gates)|(task|run|outputs|vars)\.([^{}\r\n]+))\}/g;

/**
 * Splits a text at its placeholders. `{{` is an escaped brace, `{?name}` and `{/}` are around what depends on a value;
 * braces around anything else are plain text.
 */
export function parseText(text: string): readonly TextPart[] {
  const parts: TextPart[] = [];
  let end = 0;
  for (const match of text.matchAll(pattern)) {
    if (match.index > end) parts.push({ type: "text", text: text.slice(end, match.index) });
    parts.push(partOf(match));
    end = match.index + match[0].length;
  }
  if (end < text.length) parts.push({ type: "text", text: text.slice(end) });
  return parts;
}

/** The placeholders of a text, those included that only decide whether a part is shown. */
export function namedIn(text: string): readonly Named[] {
  return parseText(text).flatMap((part) => (part.type === "placeholder" || part.type === "opening" ? [part] : []));
}

/** The value of a placeholder; null if there is none, undefined if it is plain text here. */
export type ReadValue = (root: PlaceholderRoot, name: string) => string | null | undefined;

/** Fills the placeholders in one pass, so that placeholders inside a value are not filled. */
export function fillText(text: string, read: ReadValue): string {
  const parts = parseText(text);
  const lastClosing = parts.findLastIndex(({ type }) => type === "closing");
  let filled = "";
  let inside: Inside = null;
  for (const [at, part] of parts.entries()) {
    const begins: Inside = part.type === "opening" && at < lastClosing ? whetherShown(part, read) : null;
    if (inside === null && begins !== null) inside = begins;
    else if (inside !== null && part.type === "closing") inside = null;
    else if (inside !== "hidden") filled += textOf(part, read);
  }
  return filled;
}

/** Whether the text is in a part that depends on a value, and shown there. */
type Inside = "shown" | "hidden" | null;

/** Null where the name is no placeholder. */
function whetherShown({ root, name }: Named, read: ReadValue): Inside {
  const value = read(root, name);
  if (value === undefined) return null;
  return value === null || value === "" ? "hidden" : "shown";
}

function textOf(part: TextPart, read: ReadValue): string {
  if (part.type === "text") return part.text;
  if (part.type !== "placeholder") return part.source;
  const value = read(part.root, part.name);
  return value === undefined ? part.source : (value ?? absent[`${part.root}.${part.name}`] ?? absent[part.root] ?? "");
}

/** What stands in the place of a value that does not exist; nothing for all others. */
const absent: Readonly<Record<string, string>> = {
  outputs: "(no output yet)",
  "run.request": "(no request was given)",
};

/** Replaces {project_root} in a stored value with the project's current path; nothing else is filled in values. */
export function fillProjectRoot(value: string, projectRoot: string): string {
  return value.replaceAll("{project_root}", () => projectRoot);
}

function partOf(match: RegExpExecArray): TextPart {
  const [source, sign, lone, root, name = ""] = match;
  if (source === "{{") return { type: "text", text: "{" };
  if (source === "{/}") return { type: "closing", source };
  // The pattern matches no other roots.
  return { type: sign === "?" ? "opening" : "placeholder", source, root: (lone ?? root) as PlaceholderRoot, name };
}
