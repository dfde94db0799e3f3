import { existsSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import type { FileProblem, Host, HostFile } from "../contract/host.ts";
import { hashOf } from "../install/installed-record.ts";
import { editBytes, textOf } from "../install/plan.ts";
import { type PresentFile, readHomeFile } from "../install/project-file.ts";
import { userShimFiles } from "../shims/shim-files.ts";
import { readUserRecord, type UserFile, type UserRecord } from "./user-record.ts";

/** Where the setup for a user goes. */
export interface UserPlace {
  readonly home: string;
  /** The folder of the user's own settings, which also gets the shims. */
  readonly folder: string;
  /** The Holdfast to start. */
  readonly installation: string;
}

/** The changes to make in a home folder, before any of them is made. */
export interface UserPlan {
  readonly changes: readonly UserChange[];
  readonly notes: readonly string[];
  /** Files that cannot be edited. If there are any, nothing is changed. */
  readonly problems: readonly (FileProblem & { readonly file: string })[];
  readonly record: UserRecord;
}

export interface UserChange {
  /** Relative to the home folder. */
  readonly path: string;
  readonly what: "created" | "updated" | "restored" | "deleted";
  readonly before: PresentFile | null;
  readonly after: Buffer | null;
}

/** The files that set up a host for a user; empty for a host that has no such settings. */
export function userFiles({ folder }: Pick<UserPlace, "folder">, host: Host): readonly HostFile[] {
  return host.forUser?.(folder.replaceAll("\\", "/")) ?? [];
}

export function shimsOf({ home, folder, installation }: UserPlace): readonly HostFile[] {
  return userShimFiles(relative(home, folder).replaceAll("\\", "/"), installation);
}

export function planUserInstall(place: UserPlace, chosen: readonly Host[]): UserPlan {
  const before = readUserRecord(place.folder);
  const plan = { changes: [] as UserChange[], notes: [] as string[], problems: [] as UserPlan["problems"][number][] };
  const files: Record<string, UserFile> = { ...before.files };
  for (const file of [...shimsOf(place), ...chosen.flatMap((host) => userFiles(place, host))]) {
    const { path } = file;
    const present = readHomeFile(place.home, path);
    const edited = editBytes(present?.bytes ?? null, file.putIn);
    if (!edited.ok) {
      plan.problems.push({ file: `~/${path}`, ...edited.problem });
      continue;
    }
    if (edited.note !== undefined) plan.notes.push(edited.note);
    const after = edited.text;
    if (after === null || present?.bytes.equals(after)) continue;
    plan.changes.push({ path, what: present === null ? "created" : "updated", before: present, after });
    files[path] = { original: originalOf(file, present, before.files[path]), written: hashOf(after) };
  }
  const missing = plan.changes.flatMap(({ path }) => missingFolders(place, path));
  return { ...plan, record: { files, folders: [...new Set([...before.folders, ...missing])] } };
}

/** The folders above a file that have to be made for it. */
function missingFolders(place: UserPlace, path: string): string[] {
  const folder = dirname(path);
  return existsSync(placeOf(place, folder)) ? [] : [...missingFolders(place, folder), folder];
}

/** Removes only what was put in: the programs change these files all the time. An unchanged file gets its bytes back. */
export function planUserRemoval(place: UserPlace, chosen: readonly Host[], others: readonly Host[]): UserPlan {
  const before = readUserRecord(place.folder);
  const isNeeded = others.some((host) => userFiles(place, host).some((file) => before.files[file.path] !== undefined));
  const files = [...(isNeeded ? [] : shimsOf(place)), ...chosen.flatMap((host) => userFiles(place, host))];
  const plan = { changes: [] as UserChange[], notes: [], problems: [] as UserPlan["problems"][number][] };
  for (const file of files) {
    const { path } = file;
    const present = readHomeFile(place.home, path);
    if (present === null) continue;
    const edited = without(file, present.bytes, before.files[path]);
    if (!edited.ok) plan.problems.push({ file: `~/${path}`, ...edited.problem });
    else if (edited.text === null || !present.bytes.equals(edited.text)) {
      plan.changes.push({
        path,
        what: edited.text === null ? "deleted" : "restored",
        before: present,
        after: edited.text,
      });
    }
  }
  const gone = new Set(files.map(({ path }) => path));
  const left = Object.entries(before.files).filter(([path]) => !gone.has(path));
  return { ...plan, record: { files: Object.fromEntries(left), folders: before.folders } };
}

function without(file: HostFile, bytes: Buffer, known: UserFile | undefined) {
  const original = known?.original == null ? null : Buffer.from(known.original, "base64");
  const isUnchanged = known !== undefined && hashOf(bytes) === known.written;
  if (isUnchanged && file.keeps === undefined) return { ok: true, text: original } as const;
  return editBytes(bytes, (text) => file.takeOut(text ?? "", textOf(original)));
}

/** What to keep of a file, without entries of ours from earlier. */
function originalOf(file: HostFile, present: PresentFile | null, known: UserFile | undefined): string | null {
  if (present === null) return null;
  if (known !== undefined && hashOf(present.bytes) === known.written) return known.original;
  const same = editBytes(present.bytes, (text) => file.takeOut(text ?? "", text));
  const isBare = !same.ok || same.text?.equals(present.bytes) === true;
  const edited = isBare ? null : without(file, present.bytes, known);
  const bare = edited?.ok ? edited.text : present.bytes;
  if (bare === null) return null;
  const kept = file.keeps === undefined ? bare : Buffer.from(file.keeps(textOf(bare) ?? ""));
  return kept.toString("base64");
}

export function placeOf({ home }: UserPlace, path: string): string {
  return join(home, path);
}
