import { relative, resolve, sep } from "node:path";
import { quote } from "../model/quote.ts";
import { realPath, resolveInside } from "../platform/links.ts";
import { stripInvisible } from "./strip-text.ts";

export interface ReadingEntry {
  /** From the project root, with `@`. */
  readonly path: string;
  readonly missing: boolean;
}

export interface Reading {
  readonly entries: readonly ReadingEntry[];
  readonly notes: readonly string[];
}

/** Far more than anyone reads; the limit bounds how long the check can take. */
const mostEntries = 200;

/** The files that the agent must read: each one once, and only files inside the project. */
export function checkReading(projectRoot: string, entries: readonly string[]): Reading {
  const root = realPath(projectRoot) ?? projectRoot;
  const found = new Map<string, ReadingEntry>();
  const notes: string[] = [];
  for (const entry of new Set(entries)) {
    const name = stripInvisible(entry).trim().replace(/^@+/, "").trim();
    if (name === "") continue;
    if (found.size === mostEntries) {
      notes.push(`only the first ${mostEntries} files to read are listed`);
      break;
    }
    const checked = checkEntry(root, projectRoot, name);
    if (checked === null) notes.push(`${quote(entry)} is left out: it is outside the project`);
    else if (!found.has(checked.path)) found.set(checked.path, checked);
  }
  return { entries: [...found.values()], notes };
}

function checkEntry(root: string, projectRoot: string, name: string): ReadingEntry | null {
  if (name.startsWith("~")) return null;
  const file = resolve(root, name.startsWith(`${projectRoot}${sep}`) ? relative(projectRoot, name) : name);
  const way = relative(root, file);
  if (way.split(sep)[0] === ".." || resolve(root, way) !== file) return null;
  // `docs/plan.md#L3` is a position in a file, unless a file has exactly that name.
  const [whole, part] = [resolveInside(root, file), resolveInside(root, file.replace(/#[^/\\]*$/, ""))];
  if (whole === null || part === null) return null;
  return { path: `@${way.split(sep).join("/") || "."}`, missing: !(whole.exists || part.exists) };
}
