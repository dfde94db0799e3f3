import { isMap } from "../value.ts";
import { itemsOf, type Located, listOf, originAt, partOf, partsOf, withPart } from "./located.ts";

/** Lists that grow along a chain; the base's entries come first. */
const joined = ["required_reading", "key_reminders"];
/** What says how a workflow differs from its base is no part of the result. */
const notMerged = ["extends", "change", "steps"];

/** A workflow over its base: maps merge by key, at any depth; some lists are joined; everything else is replaced. */
export function mergeWorkflow(base: Located, own: Located): Located {
  const keys = keysOf(own).filter((key) => !notMerged.includes(key));
  const merged = mergeMap(base, own, keys, joined);
  // What is missing in the result is missing in the workflow itself, except for the steps: those are the base's.
  const steps = originAt(base.origin, ["steps"]);
  const parts = new Map([["steps", steps], ...partsOf(merged)]);
  return { value: merged.value, origin: { ...merged.origin, parts } };
}

function mergeMap(base: Located, own: Located, keys: readonly string[], lists: readonly string[]): Located {
  const origins = keysOf(base).map((key) => [key, originAt(base.origin, [key])] as const);
  const start: Located = { value: base.value, origin: { ...own.origin, parts: new Map(origins) } };
  return keys.reduce((merged, key) => mergePart(merged, key, own, lists.includes(key)), start);
}

function mergePart(base: Located, key: string, own: Located, isJoined: boolean): Located {
  const [before, part] = [partOf(base, key), partOf(own, key)];
  if (part === undefined) return base;
  if (before === undefined) return withPart(base, key, part);
  const isBoth = isMap(before.value) && isMap(part.value);
  const merged = isBoth ? mergeMap(before, part, keysOf(part), []) : isJoined ? join(before, part) : null;
  return withPart(base, key, merged ?? part);
}

/** Null if one of them is no list, which the check of the result reports. An entry that the base has is not repeated. */
function join(base: Located, own: Located): Located | null {
  const [before, after] = [itemsOf(base), itemsOf(own)];
  if (before === null || after === null) return null;
  const known = new Set(before.map(({ value }) => value));
  return listOf([...before, ...after.filter(({ value }) => !known.has(value))], own.origin);
}

function keysOf({ value }: Located): string[] {
  return isMap(value) ? Object.keys(value) : [];
}
