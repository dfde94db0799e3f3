import { isUtf8 } from "node:buffer";
import type { Edited, FileProblem } from "../contract/host.ts";
import { type ExtraName, type ExtrasBefore, type ExtraWish, extraNames } from "../extras/extras.ts";
import { type InstalledRecord, isRecordTracked, readOriginal, recordFolder } from "./installed-record.ts";
import type { PresentFile } from "./project-file.ts";

/** The changes to make, before any of them is made. */
export interface Plan {
  readonly changes: readonly Change[];
  /** Further messages for the person. */
  readonly notes: readonly string[];
  /** Files that cannot be edited. If there are any, nothing is changed. */
  readonly problems: readonly (FileProblem & { readonly file: string })[];
  /** The extras that are there afterwards. */
  readonly extras: readonly ExtraName[];
  /** The record to write afterwards. */
  readonly record: InstalledRecord;
}

export interface Change {
  readonly path: string;
  readonly what: "created" | "updated" | "restored" | "cleaned" | "deleted";
  /** What the file is for. */
  readonly about: string;
  readonly before: PresentFile | null;
  readonly after: Buffer | null;
  /** The previous content, to restore later. */
  readonly original?: Buffer;
}

export interface PlanDraft {
  readonly changes: Change[];
  readonly notes: string[];
  readonly problems: (FileProblem & { readonly file: string })[];
}

export function emptyPlanDraft(project: string): PlanDraft {
  const notes = isRecordTracked(project)
    ? [`${recordFolder} came with the repository, so nothing in it is used; remove it there: git rm -r ${recordFolder}`]
    : [];
  return { changes: [], notes, problems: [] };
}

/** The extras, by the file that they go into. */
export function byPath(wishes: readonly ExtraWish[]): ReadonlyMap<string, readonly ExtraWish[]> {
  const paths = new Set(wishes.map(({ extra }) => extra.path));
  return new Map([...paths].map((path) => [path, wishes.filter(({ extra }) => extra.path === path)]));
}

export function extrasBefore(project: string, record: InstalledRecord, path: string): ExtrasBefore {
  const added = extraNames.filter((name) => record[path]?.added?.includes(name) === true);
  return { added, original: textOf(readOriginal(project, record, path)) };
}

const byteOrderMark = "\ufeff";

/** Edits bytes as text, and keeps a byte order mark. */
export function editBytes(
  bytes: Buffer | null,
  edit: (text: string | null) => Edited<string | null>,
): Edited<Buffer | null> {
  if (bytes !== null && !isUtf8(bytes)) {
    return { ok: false, problem: { line: 1, column: 1, problem: "it is not UTF-8 text" } };
  }
  const text = bytes?.toString("utf8") ?? null;
  const marked = text?.startsWith(byteOrderMark) === true;
  const edited = edit(text !== null && marked ? text.slice(1) : text);
  if (!edited.ok || edited.text === null) return edited as Edited<null>;
  return { ...edited, text: Buffer.from(marked ? byteOrderMark + edited.text : edited.text) };
}

export function textOf(bytes: Buffer | null): string | null {
  return bytes === null ? null : bytes.toString("utf8").replace(/^\ufeff/, "");
}
