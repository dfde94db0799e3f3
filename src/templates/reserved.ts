import { isReservedName } from "../model/ids.ts";
import { quote } from "../model/quote.ts";
import { error, type Finding, type Path } from "./problem.ts";

/** What is deeper has no place in a workflow, and would only take time. */
const depthLimit = 100;

/** Keys that would reach into an object's prototype. They are looked for by themselves: a schema may pass them over. */
export function reservedKeys(value: unknown): Finding[] {
  const findings: Finding[] = [];
  const seen = new Set<object>();
  const open: { readonly value: unknown; readonly path: Path }[] = [{ value, path: [] }];
  // It grows while it is walked, the nearest first: so a value that stands in two places is found at the nearer one.
  for (const { value: inner, path } of open) {
    if (typeof inner !== "object" || inner === null || seen.has(inner) || path.length > depthLimit) continue;
    seen.add(inner);
    for (const [key, part] of Object.entries(inner)) {
      const here = [...path, Array.isArray(inner) ? Number(key) : key];
      if (isReservedName(key)) findings.push(reserved(here, key));
      open.push({ value: part, path: here });
    }
  }
  return findings;
}

function reserved(path: Path, key: string): Finding {
  return error(path, `${quote(key)} is a reserved name; use another`, { at: "key" });
}
