import { everyEntry, outline } from "../outline.ts";
import { type Finding, pathKey } from "../problem.ts";
import type { Layer } from "./chain.ts";
import { type Origin, originAt } from "./located.ts";
import { type Edit, resolve } from "./resolve.ts";

/** The edit that made a problem out of something that was none where it is written; null if it was one from the start. */
export type FindCause = (finding: Finding, origin: Origin) => Edit | null;

/**
 * Checking takes time in proportion to the steps. After this many steps in all, a problem is reported where it is, not
 * where it comes from.
 */
const mostSteps = 20_000;

/** `check` returns everything that is wrong with a resolved workflow. */
export function causeFinder(
  layers: readonly Layer[],
  edits: readonly Edit[],
  check: (value: unknown) => readonly Finding[],
): FindCause {
  const known = new Map<number, ReadonlySet<string>>();
  let steps = 0;
  /** The problems after the first so many edits; null if that would take too long. */
  const problemsAfter = (count: number): ReadonlySet<string> | null => {
    const seen = known.get(count);
    if (seen !== undefined || steps > mostSteps) return seen ?? null;
    const { workflow } = resolve(layers, edits.slice(0, count));
    steps += everyEntry(outline(workflow.value)).length;
    const keys = check(workflow.value).map((finding) => keyOf(finding, originAt(workflow.origin, finding.path)));
    const found = new Set(keys);
    known.set(count, found);
    return found;
  };
  return (finding, origin) => {
    const key = keyOf(finding, origin);
    // It is absent after `low` edits and present after `high`, so one of the edits between them causes it.
    let [low, high] = [writtenAfter(edits, layers, origin), edits.length];
    if (low >= high || problemsAfter(low)?.has(key) !== false) return null;
    while (high - low > 1) {
      const middle = Math.floor((low + high) / 2);
      const found = problemsAfter(middle);
      if (found === null) return null;
      if (found.has(key)) high = middle;
      else low = middle;
    }
    return edits[high - 1] ?? null;
  };
}

/** The same place and kind of problem; messages differ where they list names. */
function keyOf({ severity, at, excerpt }: Finding, { layer, path }: Origin): string {
  return `${layer} ${severity} ${at} ${excerpt?.text} ${pathKey(path)}`;
}

/** After how many edits this part is in the workflow. */
function writtenAfter(edits: readonly Edit[], layers: readonly Layer[], { layer, path: [top, index] }: Origin): number {
  if (layer === layers.length - 1) return 0;
  return (
    edits.findIndex((edit) => {
      const own = edit.change?.path[1];
      return edit.layer === layer && (top === "change" ? own === index : edit.change === null);
    }) + 1
  );
}
