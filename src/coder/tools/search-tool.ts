import { lstatSync } from "node:fs";
import { join } from "node:path";
import * as z from "zod";
import { compileGlob } from "../../model/pattern/glob.ts";
import { matchesWhole } from "../../model/pattern/pattern.ts";
import { bare } from "../../model/quote.ts";
import { truncateHead } from "../../model/truncate.ts";
import { findPlace, type Place } from "./place.ts";
import { entriesBelow, wordPath } from "./project-files.ts";
import { searchWithRipgrep } from "./ripgrep.ts";
import type { Match } from "./search.ts";
import { searchFiles } from "./search-files.ts";
import { defineTool, problem, type ToolReply, type ToolScene } from "./tool.ts";
import { trustedProgram } from "./trusted-program.ts";

const mostMatches = 200;
const mostCharacters = 30_000;
const longestLine = 300;
const mostFiles = 50_000;
/** Larger files are data, or generated. */
const largestFile = 5_000_000;
const secondsToSearch = 60;

export const searchTool = defineTool({
  name: "search",
  description: `Search the files of the worktree for a regular expression, line by line. Answers path:line:text, at most ${mostMatches} lines. What git ignores is left out, unless you search an ignored folder itself.`,
  input: z.strictObject({
    pattern: z
      .string()
      .min(1)
      .max(1_000)
      .regex(/^[^\0\r\n]*$/, "must be on one line")
      .describe("Without lookaround and back references"),
    path: z.string().min(1).default(".").describe("A folder or file, relative to the worktree"),
    glob: z
      .string()
      .min(1)
      .optional()
      .describe("Only files like this: *.ts for names, src/**/*.ts for paths from the worktree"),
    plain: z.boolean().default(false).describe("Take the pattern as plain text"),
  }),
  effect: "reads",
  async run({ pattern, path, glob, plain }, scene) {
    const wanted = glob === undefined ? () => true : matcherOf(glob);
    if (wanted === null) return problem(`${bare(glob ?? "")} is no glob that is understood; try one like **/*.ts`);
    const chosen = await chooseFiles(scene, path, wanted);
    if ("reply" in chosen) return chosen.reply;
    const program = trustedProgram(scene, "rg");
    const limit = AbortSignal.timeout(secondsToSearch * 1_000);
    const signal = AbortSignal.any([scene.signal, limit]);
    const limits = { most: mostMatches + 1, largest: largestFile, signal };
    const search = { root: scene.root, files: chosen.files, pattern, plain, ...limits };
    const found = await (program === null ? searchFiles(search) : searchWithRipgrep(search, program));
    if (scene.signal.aborted) return problem("cancelled");
    if (!found.ok) return problem(`the pattern is not understood: ${found.problem}`);
    const late = limit.aborted ? [`stopped after ${secondsToSearch} seconds; narrow the path`] : [];
    return answer(found.matches, [...chosen.notes, ...found.notes, ...late]);
  },
});

/** A glob without a slash is for names; null if it is not valid. */
function matcherOf(glob: string): ((path: string) => boolean) | null {
  const compiled = compileGlob(glob);
  if (!compiled.ok) return null;
  const part = (path: string) => (glob.includes("/") ? path : path.slice(path.lastIndexOf("/") + 1));
  return (path) => matchesWhole(compiled.pattern, part(path));
}

interface Chosen {
  readonly files: readonly string[];
  readonly notes: readonly string[];
}

/** A file that is named itself is searched even if the glob is for others. */
async function chooseFiles(
  scene: ToolScene,
  path: string,
  wanted: (path: string) => boolean,
): Promise<Chosen | { readonly reply: ToolReply }> {
  const place = findPlace(scene, path, "enter");
  if (!place.ok) return place;
  const there = lstatSync(place.path, { throwIfNoEntry: false });
  if (there === undefined) return { reply: problem(`there is no file or folder ${place.shown}`) };
  if (there.isDirectory()) return filesBelow(scene, place, wanted);
  const file = findPlace(scene, path, "read");
  if (!file.ok) return file;
  if (!there.isFile()) return { reply: problem(`${file.shown} is a pipe, a socket or a device`) };
  return withoutLarge(scene, [file.shown]);
}

async function filesBelow(scene: ToolScene, place: Place, wanted: (path: string) => boolean): Promise<Chosen> {
  const files: string[] = [];
  for await (const { path, kind, isDenied } of entriesBelow(scene, place, Number.POSITIVE_INFINITY)) {
    if (kind === "file" && !isDenied && wanted(path)) files.push(path);
    if (files.length < mostFiles) continue;
    const { notes, ...rest } = withoutLarge(scene, files);
    return { ...rest, notes: [...notes, `only the first ${mostFiles} files were searched; narrow the path`] };
  }
  return withoutLarge(scene, files);
}

function withoutLarge({ root }: ToolScene, files: readonly string[]): Chosen {
  const sizes = files.map((path) => lstatSync(join(root, path), { throwIfNoEntry: false })?.size ?? 0);
  const large = files.filter((_, index) => (sizes[index] ?? 0) > largestFile);
  const named = large.slice(0, 5).map(wordPath).join(", ");
  const more = large.length > 5 ? ` and ${large.length - 5} more` : "";
  return {
    files: files.filter((_, index) => (sizes[index] ?? 0) <= largestFile),
    notes: large.length === 0 ? [] : [`not searched, over ${largestFile / 1_000_000} MB: ${named}${more}`],
  };
}

function answer(matches: readonly Match[], notes: readonly string[]): ToolReply {
  const lines: string[] = [];
  let room = mostCharacters;
  for (const { path, line, text } of matches.slice(0, mostMatches)) {
    const worded = `${wordPath(path)}:${line}:${truncateHead(text, longestLine)}`;
    room -= worded.length + 1;
    if (room < 0) break;
    lines.push(worded);
  }
  const isCut = lines.length < matches.length;
  const more = isCut ? [`only the first ${lines.length} matches are shown; narrow the pattern, path or glob`] : [];
  const none = matches.length === 0 ? ["no match"] : [];
  return { text: [...lines, ...[...none, ...more, ...notes].map((note) => `[${note}]`)].join("\n") };
}
