import { isReservedName } from "../model/ids.ts";
import { quote } from "../model/quote.ts";
import { error, type Finding, type Path } from "./problem.ts";

/** No valid workflow is nested deeper; going further would only take time. */
const depthLimit = 100;

/** Finds keys that would reach into an object's prototype. A schema does not report all of them. */
export function reservedKeys(value: unknown): Finding[] {
  const findings: Finding[] = [];
  const seen = new Set<object>();
  const open: { readonly value: unknown; readonly path: Path }[] = [{ value, path: [] }];
  // Breadth first (the list grows during the loop), so a value that occurs twice is reported where it is least deep.
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
