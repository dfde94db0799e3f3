/** One piece of a text: plain words, or a name in braces that a run gives its value. */
export type TextPart =
  | { readonly type: "text"; readonly text: string }
  | { readonly type: "placeholder"; readonly source: string; readonly root: PlaceholderRoot; readonly name: string };

export type PlaceholderRoot = "task" | "run" | "outputs" | "vars" | "project_root";

export const taskFields = ["id", "title", "description"] as const;
export const runFields = ["id", "summary"] as const;

const pattern = /\{\{|\{project_root\}|\{(task|run|outputs|vars)\.([^{}\r\n]+)\}/g;

/** Splits a text at its placeholders. `{{` is a brace; braces around anything else are just text. */
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

/** Puts values in the place of names, in one pass: what a value contains is never read again. */
export function fillText(text: string, read: (root: PlaceholderRoot, name: string) => string): string {
  // The pattern allows no other root.
  return text.replace(pattern, (source, root: PlaceholderRoot = "project_root", name = "") =>
    source === "{{" ? "{" : read(root, name),
  );
}

/** A value as it was kept, for the place where the project is now: that is all that a value may name. */
export function fillProjectRoot(value: string, projectRoot: string): string {
  return value.replaceAll("{project_root}", () => projectRoot);
}

function partOf(match: RegExpExecArray): TextPart {
  const [source, root, name] = match;
  if (source === "{{") return { type: "text", text: "{" };
  if (root === undefined || name === undefined) {
    return { type: "placeholder", source, root: "project_root", name: "" };
  }
  // The pattern allows no other root.
  return { type: "placeholder", source, root: root as PlaceholderRoot, name };
}
