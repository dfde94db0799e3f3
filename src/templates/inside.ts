import type { Finding } from "./problem.ts";

/**
 * Maps an offset in a parsed text to the offset in its YAML source, which may be plain or quoted with escapes. Returns 0
 * (the beginning) when that is not possible: for text over several lines, or text repeated by an alias.
 */
export function offsetInside(source: string, { text, offset }: NonNullable<Finding["inside"]>): number {
  if (source === text) return offset;
  const pattern = source.startsWith("'") ? /''|./gs : /\\(?:x.{2}|u.{4}|.)|./gs;
  const isQuoted = /["']/.test(source.charAt(0)) && !source.includes("\n");
  const signs = isQuoted ? (source.slice(1, -1).match(pattern) ?? []) : [];
  return signs.length === text.length ? 1 + signs.slice(0, offset).join("").length : 0;
}
