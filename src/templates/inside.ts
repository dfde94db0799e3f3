import type { Finding } from "./problem.ts";

/**
 * Where a place in a text stands in the source of that text, as it is written: plain, or in quotes with escapes. The
 * beginning, where it cannot be told: in a text over several lines, or one that an alias repeats.
 */
export function offsetInside(source: string, { text, offset }: NonNullable<Finding["inside"]>): number {
  if (source === text) return offset;
  const pattern = source.startsWith("'") ? /''|./gs : /\\(?:x.{2}|u.{4}|.)|./gs;
  const isQuoted = /["']/.test(source.charAt(0)) && !source.includes("\n");
  const signs = isQuoted ? (source.slice(1, -1).match(pattern) ?? []) : [];
  return signs.length === text.length ? 1 + signs.slice(0, offset).join("").length : 0;
}
