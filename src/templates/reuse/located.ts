import type { Path } from "../problem.ts";
import { type Fields, isMap } from "../value.ts";

/**
 * Where a part of a resolved workflow is written: the file, as an index into the chain, and the path in that file. Parts
 * that are not listed are written below it.
 */
export interface Origin {
  readonly layer: number;
  readonly path: Path;
  readonly parts?: ReadonlyMap<string, Origin> | readonly Origin[];
}

/** A value with the origin of each of its parts. */
export interface Located {
  readonly value: unknown;
  readonly origin: Origin;
}

export function originAt(origin: Origin, path: Path): Origin {
  return path.reduce<Origin>(originOf, origin);
}

function originOf({ layer, path, parts }: Origin, key: string | number): Origin {
  const listed =
    parts instanceof Map ? parts.get(String(key)) : (parts as readonly Origin[] | undefined)?.[Number(key)];
  return listed ?? { layer, path: [...path, key] };
}

/** A part of a map; undefined if the map does not have it. Reads own properties only. */
export function partOf({ value, origin }: Located, key: string): Located | undefined {
  if (!isMap(value) || !Object.hasOwn(value, key)) return undefined;
  return { value: value[key], origin: originOf(origin, key) };
}

/** A copy of a map with another part, at the same place if it had one of that name. */
export function withPart(map: Located, key: string, part: Located): Located {
  const value = { ...fieldsOf(map), [key]: part.value };
  return { value, origin: { ...map.origin, parts: new Map([...partsOf(map), [key, part.origin]]) } };
}

export function withoutPart(map: Located, key: string): Located {
  const { [key]: _removed, ...value } = fieldsOf(map);
  // The origin stays: if the part is missed, it is where it was that is of interest.
  return { value, origin: map.origin };
}

/** The items of a list; null if it is none. */
export function itemsOf(list: Located | undefined): Located[] | null {
  if (list === undefined || !Array.isArray(list.value)) return null;
  return list.value.map((value: unknown, index) => ({ value, origin: originOf(list.origin, index) }));
}

/** A list of these items; `origin` is that of the list itself. */
export function listOf(items: readonly Located[], { layer, path }: Origin): Located {
  return { value: items.map(({ value }) => value), origin: { layer, path, parts: items.map(({ origin }) => origin) } };
}

function fieldsOf({ value }: Located): Fields {
  return isMap(value) ? value : {};
}

/** The origins of the parts of a map that are written elsewhere than the map itself. */
export function partsOf({ origin: { parts } }: Located): ReadonlyMap<string, Origin> {
  return parts instanceof Map ? parts : new Map();
}
