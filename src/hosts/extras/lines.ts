import type { Edited } from "../contract/host.ts";

const heading = "# Holdfast";

/** Appends lines to a .gitignore, under a heading of our own. */
export function putIgnoreLines(present: string | null, lines: readonly string[]): Edited {
  const text = present ?? "";
  const there = text.split("\n");
  const missing = lines.filter((line) => !there.some((each) => each.trimEnd() === line));
  if (missing.length === 0) return { ok: true, text };
  const eol = text.includes("\r\n") ? "\r\n" : "\n";
  const at = headingIn(there);
  const isLast = at === there.length - 1;
  const block = (at === -1 ? [heading, ...missing] : missing).map((line) => line + eol).join("");
  if (at === -1 || isLast) return { ok: true, text: `${text}${text === "" || text.endsWith("\n") ? "" : eol}${block}` };
  return { ok: true, text: `${there.slice(0, at + 1).join("\n")}\n${block}${there.slice(at + 1).join("\n")}` };
}

/** Removes our lines below our heading; the same lines elsewhere are a person's own, and so is a heading without them. */
export function takeIgnoreLines(text: string, original: string | null, ours: readonly string[]): Edited<string | null> {
  const lines = text.split("\n");
  const at = headingIn(lines);
  const count = at === -1 ? 0 : oursAfter(lines, at, ours);
  if (count === 0) return { ok: true, text };
  const before = original?.split("\n") ?? [];
  const hadHeading = headingIn(before) !== -1 && oursAfter(before, headingIn(before), ours) === 0;
  lines.splice(hadHeading ? at + 1 : at, hadHeading ? count : count + 1);
  const left = lines.join("\n");
  // The line break that was added to a last line without one.
  const whole = original !== null && left.replace(/\r?\n$/, "") === original ? original : left;
  return { ok: true, text: original === null && whole.trim() === "" ? null : whole };
}

function headingIn(lines: readonly string[]): number {
  return lines.findIndex((line) => line.trimEnd() === heading);
}

/** How many of our lines follow a line. */
function oursAfter(lines: readonly string[], at: number, ours: readonly string[]): number {
  const others = lines.slice(at + 1).findIndex((line) => !ours.includes(line.trimEnd()));
  return others === -1 ? lines.length - at - 1 : others;
}

const folderLine = 'cards: { folder: .holdfast/cards } # by "holdfast init"';

/** Keeps state cards in `.holdfast/cards`, unless the settings already say where. */
export function putCardFolder(present: string | null): Edited {
  const text = present ?? "";
  if (saysWhere(text)) return { ok: true, text };
  if (!isBlockMapping(text)) {
    return {
      ok: true,
      text,
      note: ".holdfast/config.yaml was not changed; add to it: cards: { folder: .holdfast/cards }",
    };
  }
  const eol = text.includes("\r\n") ? "\r\n" : "\n";
  return { ok: true, text: `${text}${text === "" || text.endsWith("\n") ? "" : eol}${folderLine}${eol}` };
}

export function takeCardFolder(text: string, original: string | null): Edited<string | null> {
  const left = text
    .split("\n")
    .filter((line) => line.trimEnd() !== folderLine)
    .join("\n");
  const whole = original !== null && left === `${original}\n` ? original : left;
  return { ok: true, text: original === null && whole.trim() === "" ? null : whole };
}

/** Whether the settings have an entry for cards, ours or a person's. */
export function saysWhere(config: string): boolean {
  return /^["']?cards["']?\s*:/m.test(config);
}

/** Whether a line can be appended: only keys, comments, and what is indented below them. */
function isBlockMapping(text: string): boolean {
  return text.split(/\r?\n/).every((line) => /^(?:\s*$|\s*#|---\s*$|[\w"'-]+\s*:|[ \t]|- )/.test(line));
}
