import type { Path } from "./problem.ts";

export type Fields = Readonly<Record<string, unknown>>;

export function isMap(value: unknown): value is Fields {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** The value at a path. Reads own properties only, so that no name reaches the prototype. */
export function valueAt(value: unknown, path: Path): unknown {
  return path.reduce<unknown>((inner, part) => {
    if (typeof inner !== "object" || inner === null || !Object.hasOwn(inner, part)) return undefined;
    return (inner as Fields)[part];
  }, value);
}
