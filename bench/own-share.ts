import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { median } from "./report.ts";

/** Two modules to compare a start with: one that does nothing, and one that imports zod as any program does that uses it. */
export interface References {
  readonly empty: string;
  readonly zod: string;
}

/** Writes them where the program finds its own packages. */
export function writeReferences(program: string): References {
  const folder = join(dirname(program), "../references");
  mkdirSync(folder, { recursive: true });
  // As CommonJS, which Node starts faster than a module.
  const [empty, zod] = [join(folder, "empty.cjs"), join(folder, "zod.cjs")];
  writeFileSync(empty, "");
  writeFileSync(zod, 'require("zod");\n');
  return { empty, zod };
}

/** Times of the same rounds. */
interface Rounds {
  readonly ours: readonly number[];
  readonly empty: readonly number[];
  readonly zod: readonly number[];
}

/**
 * What a program takes beyond an empty module, as a multiple of what importing zod takes beyond it. How long Node itself
 * needs to start, which differs by a factor of three between versions and environments, does not change this.
 */
export function ownShare({ ours, empty, zod }: Rounds): number {
  return median(above(ours, empty)) / median(above(zod, empty));
}

/** Round by round, because a busy machine slows down a whole round. */
export function above(times: readonly number[], empty: readonly number[]): number[] {
  return times.map((time, round) => time - (empty[round] ?? Number.NaN));
}
