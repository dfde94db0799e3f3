import { isUtf8 } from "node:buffer";
import { lstatSync } from "node:fs";
import * as z from "zod";
import { truncateHead } from "../../model/truncate.ts";
import { readInside } from "../../platform/path-inside.ts";
import { findPlace, type Place } from "./place.ts";
import { defineTool, problem, type ToolReply } from "./tool.ts";

/** The largest file that is read or edited, in bytes. */
const largestFile = 10 * 1000 * 1000;
const defaultLines = 1_000;
const mostLines = 5_000;
const mostCharacters = 60_000;
const longestLine = 2_000;

export const readTool = defineTool({
  name: "read",
  description: `Read a text file of the worktree. Every line comes with its number and a tab, which are not part of the file. At most ${defaultLines} lines unless you ask for more (up to ${mostLines}).`,
  input: z.strictObject({
    path: z.string().min(1).describe("Relative to the worktree"),
    from: z.int().min(1).default(1).describe("First line, counted from 1"),
    lines: z.int().min(1).max(mostLines).default(defaultLines).describe("How many lines"),
  }),
  effect: "reads",
  run({ path, from, lines }, scene) {
    const place = findPlace(scene, path, "read");
    if (!place.ok) return place.reply;
    const bytes = readFile(scene.root, place);
    if (!Buffer.isBuffer(bytes)) return bytes;
    if (bytes.includes(0)) return problem(`${place.shown} is a binary file of ${size(bytes.length)}`);
    const text = bytes.toString("utf8").replace(/^\uFEFF/, "");
    const note = isUtf8(bytes) ? "" : "[not UTF-8: some characters are shown as \uFFFD, and edit refuses this file]\n";
    return show(text, { from, count: lines, shown: place.shown, note });
  },
});

/** The bytes of a plain file, or why it is not read. */
export function readFile(root: string, { path, shown }: Place): Buffer | ToolReply {
  const there = lstatSync(path, { throwIfNoEntry: false });
  if (there === undefined) return problem(`there is no file ${shown}`);
  if (there.isDirectory()) return problem(`${shown} is a folder; use list`);
  if (!there.isFile()) return problem(`${shown} is a pipe, a socket or a device`);
  if (there.size > largestFile)
    return problem(
      `${shown} has ${size(there.size)}, more than the ${size(largestFile)} that are read at once; use search, or sed -n '1,200p' in the shell`,
    );
  return readInside(root, path, largestFile, "none");
}

interface Part {
  readonly from: number;
  readonly count: number;
  readonly shown: string;
  readonly note: string;
}

function show(text: string, { from, count, shown, note }: Part): ToolReply {
  if (text === "") return { text: `[${shown} is empty]` };
  const all = text.replace(/\r?\n$/, "").split(/\r?\n/);
  if (from > all.length) return problem(`${shown} has only ${all.length} lines`);
  const kept: string[] = [];
  let room = mostCharacters;
  for (const [index, line] of all.slice(from - 1, from - 1 + count).entries()) {
    const numbered = numberLine(from + index, line);
    room -= numbered.length + 1;
    if (room < 0 && kept.length > 0) break;
    kept.push(numbered);
  }
  const last = from - 1 + kept.length;
  const isWhole = from === 1 && last === all.length;
  const rest = last < all.length ? `; go on with from: ${last + 1}` : "";
  const where = isWhole ? "" : `\n[lines ${from} to ${last} of ${all.length}${rest}]`;
  return { text: `${note}${kept.join("\n")}${where}` };
}

/** As models know it from `cat -n`, without the padding that they would pay for. */
export function numberLine(number: number, line: string): string {
  return `${number}\t${truncateHead(line, longestLine)}`;
}

function size(bytes: number): string {
  const units = ["bytes", "kB", "MB", "GB", "TB"];
  let [value, unit] = [bytes, 0];
  for (; value >= 1000 && unit < units.length - 1; unit++) value /= 1000;
  return `${unit === 0 ? value : value.toFixed(1)} ${units[unit]}`;
}
