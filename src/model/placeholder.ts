/** Part of a text: plain text, or a placeholder that a run fills. */
export type TextPart =
  | { readonly type: "text"; readonly text: string }
  | { readonly type: "placeholder"; readonly source: string; readonly root: PlaceholderRoot; readonly name: string };

export type PlaceholderRoot = "task" | "run" | "outputs" | "vars" | "project_root";

export const taskFields = ["id", "title", "description"] as const;
export const runFields = ["id", "summary", "request"] as const;

const pattern = /\{\{|\{project_root\}|\{(task|run|outputs|vars)\.([^{}\r\n]+)\}/g;

/** Splits a text at its placeholders. `{{` is an escaped brace; braces around anything else are plain text. */
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

/** Fills the placeholders in one pass, so that placeholders inside a value are not filled. */
export function fillText(text: string, read: (root: PlaceholderRoot, name: string) => string): string {
  // The pattern matches no other root.
  return text.replace(pattern, (source, root: PlaceholderRoot = "project_root", name = "") =>
    source === "{{" ? "{" : read(root, name),
  );
}

/** Replaces {project_root} in a stored value with the project's current path; nothing else is filled in values. */
export function fillProjectRoot(value: string, projectRoot: string): string {
  return value.replaceAll("{project_root}", () => projectRoot);
}

function partOf(match: RegExpExecArray): TextPart {
  const [source, root, name] = match;
  if (source === "{{") return { type: "text", text: "{" };
  if (root === undefined || name === undefined) {
    return { type: "placeholder", source, root: "project_root", name: "" };
  }
  // The pattern matches no other root.
  return { type: "placeholder", source, root: root as PlaceholderRoot, name };
}
