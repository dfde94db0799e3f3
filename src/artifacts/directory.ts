import { lstatSync } from "node:fs";
import { extname, join } from "node:path";
import type { Artifact } from "../model/artifact.ts";
import { readContent } from "./file.ts";
import { type FileList, type ListedFile, listFiles } from "./list-files.ts";
import { type Absence, type Content, contentOf, refused } from "./loaded.ts";
import { locate, type PathContext, type Place } from "./locate.ts";
import { looksBinary } from "./stable-read.ts";

const filesListed = 1_000;
const largestContent = 256 * 1024;
const kindsShown = 20;

/** Loads a folder as a file list, as a summary by file type, or as the contents of its newest files. */
export async function loadDirectory(
  { load, latest, max_bytes }: Pick<Artifact, "load" | "latest" | "max_bytes">,
  written: string,
  context: PathContext,
): Promise<Content | Absence> {
  const folder = locate(written, context);
  if (folder.status !== "there") return folder;
  if (!lstatSync(folder.real, { throwIfNoEntry: false })?.isDirectory())
    return refused(`${folder.shown} is not a folder`, folder.shown);
  const list = await listFiles(folder.real);
  const facts = { path: folder.shown, notes: notesOf(list) };
  if (load === "summary") return { ...contentOf(summary(list)), ...facts, bytes: bytesOf(list.files) };
  if (latest === undefined) return { ...contentOf(listing(folder, list)), ...facts };
  return { ...contentOf(newest(folder, list, latest, max_bytes ?? largestContent)), ...facts };
}

function listing(folder: Place, { files }: FileList): string {
  const shown = files.slice(0, filesListed).filter(({ name }) => !looksBinary(join(folder.real, name)));
  const more = files.length - filesListed;
  return [
    ...shown.map(({ name, size }) => `${name}  ${size} bytes`),
    ...(more > 0 ? [`and ${more} more files`] : []),
  ].join("\n");
}

function summary({ files }: FileList): string {
  const byKind = new Map<string, ListedFile[]>();
  for (const file of files) {
    const kind = extname(file.name) || "no extension";
    const some = byKind.get(kind) ?? [];
    some.push(file);
    byKind.set(kind, some);
  }
  const kinds = [...byKind].sort(([, a], [, b]) => b.length - a.length).slice(0, kindsShown);
  const line = (kind: string, some: readonly ListedFile[]) => `${kind}: ${some.length} files, ${bytesOf(some)} bytes`;
  return [line("all", files), ...kinds.map(([kind, some]) => line(kind, some))].join("\n");
}

function bytesOf(files: readonly ListedFile[]): number {
  return files.reduce((sum, { size }) => sum + size, 0);
}

/** The newest text files. A file that does not fit is only named. */
function newest(folder: Place, { files }: FileList, count: number, most: number): string {
  const sorted = [...files].sort((a, b) => b.modifiedMs - a.modifiedMs || (a.name < b.name ? -1 : 1));
  const parts: string[] = [];
  let room = most;
  for (const file of sorted) {
    if (parts.length === count) break;
    if (looksBinary(join(folder.real, file.name))) continue;
    const part = partOf(folder, file, room);
    room -= Buffer.byteLength(part) + 1;
    parts.push(part);
  }
  return parts.join("\n");
}

function partOf(folder: Place, { name, size }: ListedFile, room: number): string {
  const head = `=== ${name} (${size} bytes)`;
  if (size + head.length >= room) return `${head}: not shown, because it does not fit`;
  const content = readContent(
    { status: "there", real: join(folder.real, name), shown: `${folder.shown}/${name}` },
    true,
  );
  if (content.status === "found") return [head, ...content.notes.map((note) => `(${note})`), content.text].join("\n");
  return `${head}: not shown${"problem" in content ? `, because ${content.problem}` : ""}`;
}

function notesOf({ files, truncated, byGit }: FileList): string[] {
  return [
    ...(byGit ? [] : ["it is not in a git repository, so no files are ignored"]),
    ...(files.length === 0 ? [`it has no files${byGit ? " that git does not ignore" : ""}`] : []),
    ...(truncated ? ["it has more than 10,000 files; the rest are left out"] : []),
  ];
}
