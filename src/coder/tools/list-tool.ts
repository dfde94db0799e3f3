import { lstatSync } from "node:fs";
import * as z from "zod";
import { findPlace } from "./place.ts";
import { type Entry, entriesBelow, wordPath } from "./project-files.ts";
import { defineTool, problem, type ToolReply } from "./tool.ts";

const mostEntries = 1_000;
const mostCharacters = 30_000;
const deepest = 10;

export const listTool = defineTool({
  name: "list",
  description:
    "List a folder of the worktree. Names that end with / are folders. What git ignores is left out, unless you list an ignored folder itself.",
  input: z.strictObject({
    path: z.string().min(1).default(".").describe("Relative to the worktree"),
    depth: z.int().min(1).max(deepest).default(1).describe("How many levels of folders"),
  }),
  effect: "reads",
  async run({ path, depth }, scene) {
    const place = findPlace(scene, path, "enter");
    if (!place.ok) return place.reply;
    const there = lstatSync(place.path, { throwIfNoEntry: false });
    if (there === undefined) return problem(`there is no folder ${place.shown}`);
    if (!there.isDirectory()) return problem(`${place.shown} is no folder; use read`);
    const lines: string[] = [];
    let room = mostCharacters;
    for await (const entry of entriesBelow(scene, place, depth)) {
      const line = wordEntry(entry);
      room -= line.length + 1;
      if (lines.length === mostEntries || room < 0) return cut(lines, depth);
      lines.push(line);
    }
    if (scene.signal.aborted) return problem("cancelled");
    return { text: lines.length === 0 ? `[${place.shown} is empty, or git ignores what is in it]` : lines.join("\n") };
  },
});

function cut(lines: readonly string[], depth: number): ToolReply {
  const hint = depth > 1 ? "list with a smaller depth, or a folder below" : "use search, or ls in the shell";
  return { text: `${lines.join("\n")}\n[only the first ${lines.length} are shown; ${hint}]` };
}

const notes = { file: "", folder: "", link: " [link]", other: " [no file]" };

function wordEntry({ path, kind, isDenied }: Entry): string {
  return `${wordPath(path)}${kind === "folder" ? "/" : ""}${notes[kind]}${isDenied ? " [denied]" : ""}`;
}
