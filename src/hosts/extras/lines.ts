import type { Edited } from "../contract/host.ts";

const heading = "# Holdfast";

/** Appends lines to a .gitignore, under a heading of our own. */
export function putIgnoreLines(present: string | null, lines: readonly string[]): Edited {
  const text = present ?? "";
  const there = text.split(/\r?\n/);
  const missing = lines.filter((line) => !there.includes(line));
  if (missing.length === 0) return { ok: true, text };
  const eol = text.includes("\r\n") ? "\r\n" : "\n";
  const block = (there.includes(heading) ? missing : [heading, ...missing]).map((line) => line + eol).join("");
  if (there.includes(heading)) return { ok: true, text: afterHeading(text, eol, block) };
  return { ok: true, text: `${text}${text === "" || text.endsWith("\n") ? "" : eol}${block}` };
}

/** Removes our lines below our heading; the same lines elsewhere are a person's own. */
export function takeIgnoreLines(text: string, original: string | null, ours: readonly string[]): Edited<string | null> {
  const lines = text.split("\n");
  const at = lines.findIndex((line) => line.trimEnd() === heading);
  if (at === -1) return { ok: true, text };
  const others = lines.slice(at + 1).findIndex((line) => !ours.includes(line.trimEnd()));
  lines.splice(at, others === -1 ? lines.length - at : others + 1);
  const left = lines.join("\n");
  // The line break that was added to a last line without one.
  const whole = original !== null && !original.endsWith("\n") && left === `${original}\n` ? original : left;
  return { ok: true, text: original === null && whole.trim() === "" ? null : whole };
}

function afterHeading(text: string, eol: string, block: string): string {
  const place = text.indexOf(heading) + heading.length;
  const next = text.indexOf("\n", place);
  return next === -1 ? `${text}${eol}${block}` : text.slice(0, next + 1) + block + text.slice(next + 1);
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
