import { type Finding, type Path, type Problem, whereText } from "../problem.ts";
import { valueAt } from "../value.ts";
import { type Layer, placeIn } from "./chain.ts";
import type { FindCause } from "./find-cause.ts";
import { type Located, originAt } from "./located.ts";
import type { Edit } from "./resolve.ts";

interface Explained {
  readonly layers: readonly Layer[];
  readonly workflow: Located;
  readonly causeOf: FindCause;
}

/**
 * Places what was found in a resolved workflow: where it is written or, if it is wrong only since an edit, at that edit.
 * Null for a warning that the author of the workflow can do nothing about.
 */
export function explain({ layers, workflow, causeOf }: Explained, finding: Finding): Problem | null {
  const origin = originAt(workflow.origin, finding.path);
  const home = layers[origin.layer];
  if (home === undefined) return null;
  const own = placeIn(home, { ...finding, path: origin.path });
  const isWarning = finding.severity === "warning";
  if (isWarning && origin.layer === 0) return own;
  const cause = causeOf(finding, origin);
  // The warnings of a base belong to those who write it, and nothing can remove its agents and loops.
  if (isWarning && (cause?.layer !== 0 || isUnused(finding))) return null;
  const culprit = cause === null ? undefined : layers[cause.layer];
  if (cause === null || culprit === undefined) return own;
  const where = whereText({ position: own.position, file: home.label ?? undefined });
  const message = `${isWarning ? "affects" : "breaks"} ${own.path} (${where}): ${finding.message}`;
  return placeIn(culprit, { severity: finding.severity, path: pathOf(cause, culprit, finding.path), message });
}

function isUnused({ path, at }: Finding): boolean {
  return at === "key" && path.length === 2 && (path[0] === "agents" || path[0] === "loops");
}

/** A change is named as a whole; of what is merged, the part that is nearest to the problem. */
function pathOf({ change }: Edit, { fields }: Layer, path: Path): Path {
  if (change !== null) return change.path;
  const depth = path.findLastIndex((_, index) => valueAt(fields, path.slice(0, index + 1)) !== undefined);
  return depth === -1 ? ["extends"] : path.slice(0, depth + 1);
}
