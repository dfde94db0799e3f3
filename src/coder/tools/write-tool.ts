import { lstatSync } from "node:fs";
import * as z from "zod";
import { replaceFile } from "../../platform/files.ts";
import { findPlace } from "./place.ts";
import { defineTool, problem } from "./tool.ts";

const longestContent = 5_000_000;
/** The bits of a mode that chmod sets. */
export const modeBits = 0o7777;

export const writeTool = defineTool({
  name: "write",
  description: "Write a whole file of the worktree, new or not. Creates missing folders. To change a part, use edit.",
  input: z.strictObject({
    path: z.string().min(1).describe("Relative to the worktree"),
    content: z.string().max(longestContent).describe("All of the file"),
  }),
  effect: "writes",
  run({ path, content }, scene) {
    const place = findPlace(scene, path, "write");
    if (!place.ok) return place.reply;
    const there = lstatSync(place.path, { throwIfNoEntry: false });
    if (there?.isDirectory()) return problem(`${place.shown} is a folder`);
    if (there !== undefined && !there.isFile()) return problem(`${place.shown} is a pipe, a socket or a device`);
    replaceFile(place.path, content, "flushed", there && there.mode & modeBits);
    const lines = content === "" ? 0 : content.replace(/\n$/, "").split("\n").length;
    return { text: `${there === undefined ? "created" : "replaced"} ${place.shown}: ${lines} lines` };
  },
});
