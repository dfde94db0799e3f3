import { join } from "node:path";
import { setImmediate } from "node:timers/promises";
import { compilePattern, matchesWhole } from "../../model/pattern/pattern.ts";
import { hasCode } from "../../platform/files.ts";
import { readInside } from "../../platform/path-inside.ts";
import type { Match, Search, SearchResult } from "./search.ts";

/** Time for a pattern grows with the line, so minified code is not matched to its end. */
const longestMatched = 20_000;
const longBlock = 20;

/** Searches without another program, in time that grows only with what is searched. */
export async function searchFiles(search: Search): Promise<SearchResult> {
  const compiled = lineMatcher(search);
  if (!compiled.ok) return compiled;
  const matches: Match[] = [];
  let hasLong = false;
  let since = performance.now();
  for (const line of linesIn(search)) {
    hasLong ||= !search.plain && line.text.length > longestMatched;
    if (compiled.matches(line.text)) matches.push(line);
    if (performance.now() - since > longBlock) {
      await setImmediate();
      since = performance.now();
    }
    if (search.signal.aborted || matches.length >= search.most) break;
  }
  const notes = hasLong ? [`lines were searched up to character ${longestMatched}`] : [];
  return { ok: true, matches, notes };
}

function* linesIn({ root, files, largest }: Search): Generator<Match> {
  for (const path of files)
    for (const [index, text] of linesOf(root, path, largest).entries()) yield { path, line: index + 1, text };
}

type LineMatcher =
  | { readonly ok: true; matches(this: void, line: string): boolean }
  | { readonly ok: false; readonly problem: string };

function lineMatcher({ pattern, plain }: Search): LineMatcher {
  if (plain || /^[\w\s"'`=<>,;:@#%&~!/-]*$/.test(pattern))
    return { ok: true, matches: (line) => line.includes(pattern) };
  const compiled = compilePattern(pattern, { anywhere: true });
  if (!compiled.ok) return { ok: false, problem: `column ${compiled.column}: ${compiled.problem}` };
  return { ok: true, matches: (line) => matchesWhole(compiled.pattern, line.slice(0, longestMatched)) };
}

/** None for a binary file, and for one that is gone, has become a link, or may not be read. */
function linesOf(root: string, path: string, most: number): readonly string[] {
  try {
    const bytes = readInside(root, join(root, path), most, "none");
    return bytes.includes(0)
      ? []
      : bytes
          .toString("utf8")
          .replace(/\r?\n$/, "")
          .split(/\r?\n/);
  } catch (error) {
    if (hasCode(error, "ENOENT", "ENOTDIR", "EISDIR", "EACCES", "EPERM", "ELOOP", "ENXIO", "E2BIG", "EOUTSIDE"))
      return [];
    throw error;
  }
}
