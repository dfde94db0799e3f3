import { isUtf8 } from "node:buffer";
import { lstatSync } from "node:fs";
import * as z from "zod";
import { replaceFile } from "../../platform/files.ts";
import { nearestLines } from "./nearest-lines.ts";
import { findPlace } from "./place.ts";
import { numberLine, readFile } from "./read-tool.ts";
import { defineTool, problem, type ToolReply } from "./tool.ts";
import { modeBits } from "./write-tool.ts";

const longestText = 1_000_000;
const placesNamed = 5;

export const editTool = defineTool({
  name: "edit",
  description:
    "Replace a text in a file of the worktree. `old` must be in the file exactly once, with the same spaces and without line numbers; or set `all`.",
  input: z.strictObject({
    path: z.string().min(1).describe("Relative to the worktree"),
    old: z.string().min(1).max(longestText).describe("The text to replace"),
    new: z.string().max(longestText).describe("What to put in its place"),
    all: z.boolean().default(false).describe("Replace every occurrence"),
  }),
  effect: "writes",
  run({ path, old, new: text, all }, scene) {
    const place = findPlace(scene, path, "write");
    if (!place.ok) return place.reply;
    const bytes = readFile(scene.root, place);
    if (!Buffer.isBuffer(bytes)) return bytes;
    if (bytes.includes(0) || !isUtf8(bytes)) return problem(`${place.shown} is not UTF-8 text`);
    const edited = replace(bytes.toString("utf8"), { shown: place.shown, old, text, all });
    if (edited.content === null) return edited.reply;
    replaceFile(place.path, edited.content, "flushed", lstatSync(place.path).mode & modeBits);
    return edited.reply;
  },
});

interface Edit {
  readonly shown: string;
  readonly old: string;
  readonly text: string;
  readonly all: boolean;
}

type Edited = { readonly content: string | null; readonly reply: ToolReply };

function replace(content: string, edit: Edit): Edited {
  const { shown, all } = edit;
  if (edit.old === edit.text) return refused("old and new are the same text");
  const { old, text } = usesCrlf(content) ? withCrlf(edit) : edit;
  const places = occurrences(content, old);
  const [first] = places;
  if (first === undefined) return refused(notFound(content, edit));
  const lines = places.slice(0, placesNamed).map((at) => lineAt(content, at));
  if (places.length > 1 && !all) {
    const more = places.length > placesNamed ? ", …" : "";
    return refused(
      `${places.length} matches in ${shown}, on lines ${lines.join(", ")}${more}; add lines around it to old, or set all`,
    );
  }
  return {
    content: content.split(old).join(text),
    reply: { text: `edited ${shown}, ${all ? `${places.length} times, first on` : "on"} line ${lines[0]}` },
  };
}

/** Models write plain newlines. In a file where every line ends with CRLF they mean those. */
function usesCrlf(content: string): boolean {
  return content.includes("\r\n") && !/(?<!\r)\n/.test(content);
}

function withCrlf({ old, text }: Edit): { readonly old: string; readonly text: string } {
  const convert = (each: string) => each.replace(/\r?\n/g, "\r\n");
  return { old: convert(old), text: convert(text) };
}

function occurrences(content: string, text: string): number[] {
  const found: number[] = [];
  for (let at = content.indexOf(text); at !== -1; at = content.indexOf(text, at + text.length)) found.push(at);
  return found;
}

function lineAt(content: string, offset: number): number {
  let line = 1;
  for (let at = content.indexOf("\n"); at !== -1 && at < offset; at = content.indexOf("\n", at + 1)) line += 1;
  return line;
}

function notFound(content: string, { shown, old }: Edit): string {
  const lines = content.split(/\r?\n/);
  const near = nearestLines(lines, old.split(/\r?\n/));
  if (near === null) return `old is not in ${shown}, nor anything like it`;
  const excerpt = lines.slice(near.from, near.to).map((line, index) => numberLine(near.from + index + 1, line));
  return `old is not in ${shown}. The nearest lines are:\n${excerpt.join("\n")}`;
}

function refused(text: string): Edited {
  return { content: null, reply: problem(text) };
}
