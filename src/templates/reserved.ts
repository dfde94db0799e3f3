import { isReservedName } from "../model/ids.ts";
import { quote } from "../model/quote.ts";
import { error, type Finding, type Path } from "./problem.ts";

/** Keys that would reach into an object's prototype. They are looked for by themselves: a schema may pass them over. */
export function reservedKeys(value: unknown): Finding[] {
  const findings: Finding[] = [];
  const seen = new Set<object>();
  const open: { readonly value: unknown; readonly path: Path }[] = [{ value, path: [] }];
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    const { value: inner, path } = next;
    if (typeof inner !== "object" || inner === null || seen.has(inner)) continue;
    seen.add(inner);
    for (const [key, part] of Object.entries(inner)) {
      const here = [...path, Array.isArray(inner) ? Number(key) : key];
      if (isReservedName(key))
        findings.push(error(here, `${quote(key)} is a reserved name; use another`, { at: "key" }));
      open.push({ value: part, path: here });
    }
  }
  return findings;
}
