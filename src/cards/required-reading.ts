import { relative, resolve, sep } from "node:path";
import { quote } from "../model/quote.ts";
import { insideOf, realPath } from "./inside.ts";
import { visible } from "./plain.ts";

export interface ReadingEntry {
  /** From the project root, with `@`. */
  readonly path: string;
  readonly missing: boolean;
}

export interface Reading {
  readonly entries: readonly ReadingEntry[];
  readonly notes: readonly string[];
}

/** More than anyone reads; beyond them the looking would only take time. */
const mostEntries = 200;

/** What an agent is told to read: only what lies in the project, each file once. */
export function checkReading(projectRoot: string, entries: readonly string[]): Reading {
  const root = realPath(projectRoot) ?? projectRoot;
  const found = new Map<string, ReadingEntry>();
  const notes: string[] = [];
  for (const entry of new Set(entries)) {
    const name = visible(entry).trim().replace(/^@+/, "").trim();
    if (name === "") continue;
    if (found.size === mostEntries) {
      notes.push(`only the first ${mostEntries} files to read are named`);
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
  // `docs/plan.md#L3` names a place in a file, unless a file is really called so.
  const [whole, part] = [insideOf(root, file), insideOf(root, file.replace(/#[^/\\]*$/, ""))];
  if (whole === null || part === null) return null;
  return { path: `@${way.split(sep).join("/") || "."}`, missing: !(whole.exists || part.exists) };
}
