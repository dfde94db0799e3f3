import { randomUUID } from "node:crypto";
import { renameSync, rmSync } from "node:fs";
import { join } from "node:path";
import { HoldfastError, isHoldfastError } from "../errors.ts";
import { isRecord, parseJson } from "../model/json.ts";
import { checkedRunId } from "../model/run-id.ts";
import { type AppendFile, appendFiles } from "../platform/append-file.ts";
import { namesInFolder, readPart, replaceFile, sha256Hex } from "../platform/files.ts";
import { trackedBelow } from "../platform/git-folder.ts";
import { writing } from "./journal-file.ts";

/** What a hook has noticed about a run whose journal it must not write. The store does not know what a notice says. */
export interface QueuedNotice {
  readonly id: string;
  readonly at: string;
  /** The last commit of the copy that the hook has read, so whatever delivers the notice comes after it. */
  readonly version: number;
  readonly place: number;
  readonly notice: unknown;
}

/**
 * The notices of hooks that wait beside the copy of a journal. Lock-free: hooks append to one file, and whoever delivers
 * moves it away before it is removed. A hook that has written to a file which is no longer in its place writes again.
 */
export interface NoticeQueue {
  /** In one write. Throws `file-unwritable` if too many wait. */
  add(notices: readonly QueuedNotice[]): void;
  /** All that wait, each once, in the order of their arrival. */
  read(): readonly QueuedNotice[];
  /** Moves the file of the queue away. What is in it is still read. */
  retire(): void;
  /** What was remembered for exactly these notices on this commit of the copy; null if nothing was. */
  recall(head: string, notices: readonly QueuedNotice[]): unknown;
  /** Remembers what comes of them, so that not every hook has to find out. */
  remember(head: string, notices: readonly QueuedNotice[], outcome: unknown): void;
  /** Removes a file that was moved away if all that is in it was delivered; false if one of them has more. */
  clear(delivered: ReadonlySet<string>): boolean;
}

const name = "notices.jsonl";
/** Does not begin like the queue, whose files hooks look for by their beginning. */
const memory = "after-notices.json";
/** In characters. To write more with every notice would take longer than to decide again. */
const longestMemory = 256 * 1024;
const retiredName = /^notices-\d+-\d{20}-[0-9a-f-]+\.jsonl$/;

/** In bytes: some thousand notices. A hook reads all of them. */
const longestQueue = 512 * 1024;
/** Several hooks may find room at once. */
const longestRead = 2 * longestQueue;
/** Far more often than anyone delivers while a hook writes one line. */
const mostAttempts = 100;

export function createNoticeQueue(root: string, run: string): NoticeQueue {
  const folder = join(root, checkedRunId(run));
  const pathOf = (file: string) => join(folder, file);
  const retired = () =>
    namesInFolder(folder, "ENOTDIR")
      .filter((file) => retiredName.test(file))
      .sort();
  const read = (file: string) => (trackedBelow(root)(`${run}/${file}`) ? [] : noticesIn(pathOf(file)));
  return {
    add(notices) {
      // A process that was killed here may have left half a line.
      const bytes = Buffer.from(`\n${notices.map(lineOf).join("")}`);
      for (let attempt = 0; attempt < mostAttempts; attempt++) if (append(pathOf(name), bytes)) return;
      throw new HoldfastError("file-unwritable", { file: pathOf(name), problem: "it is moved away again and again" });
    },
    read() {
      // In this order: a file that is moved away meanwhile is read twice rather than never.
      const current = read(name);
      const all = [...retired().flatMap(read), ...current];
      return [...new Map(all.map((notice) => [notice.id, notice])).values()];
    },
    retire() {
      const path = pathOf(name);
      const aside = pathOf(`notices-${momentNow()}-${randomUUID()}.jsonl`);
      writing(path, () => ignoringAbsence(() => renameSync(path, aside)));
    },
    clear(delivered) {
      for (const file of retired()) {
        if (read(file).some(({ id }) => !delivered.has(id))) return false;
        remove(pathOf(file));
      }
      remove(pathOf(memory));
      return true;
    },
    recall(head, notices) {
      if (trackedBelow(root)(`${run}/${memory}`)) return null;
      const said = parseJson(
        ignoringAbsence(() => readPart(pathOf(memory), 4 * longestMemory, 0).toString("utf8")) ?? "",
      );
      return isRecord(said) && said.of === keyOf(head, notices) ? said.outcome : null;
    },
    remember(head, notices, outcome) {
      const text = JSON.stringify({ of: keyOf(head, notices), outcome });
      try {
        if (text.length <= longestMemory) replaceFile(pathOf(memory), text, "quick");
      } catch (error) {
        // It only saves time.
        if (!isHoldfastError(error)) throw error;
      }
    },
  };
}

/** Also a folder that somebody has put in the place of a file: it would stop the removal of all others. */
function remove(path: string): void {
  writing(path, () => rmSync(path, { recursive: true, force: true }));
}

function keyOf(head: string, notices: readonly QueuedNotice[]): string {
  return sha256Hex([head, ...notices.map(({ id }) => id)].join(" "));
}

/** Sorts as text; the clock alone can tell two processes the same time. */
function momentNow(): string {
  return `${Date.now()}-${String(process.hrtime.bigint()).padStart(20, "0")}`;
}

/** False if the file was moved away: then what was written may have come too late to be read. */
function append(path: string, bytes: Buffer): boolean {
  const file = writing(path, () => appendFiles.open(path, { create: true }));
  if (file === null) return false;
  try {
    return writing(path, () => writeTo(file, path, bytes));
  } finally {
    file.close();
  }
}

function writeTo(file: AppendFile, path: string, bytes: Buffer): boolean {
  if (file.size() + bytes.length > longestQueue) {
    const problem = "too many notices wait for the shared store";
    throw new HoldfastError("file-unwritable", { file: path, problem });
  }
  if (file.write(bytes) < bytes.length) throw Object.assign(new Error("short write"), { code: "ENOSPC" });
  file.flush();
  return file.sizeInPlace() !== null;
}

const hashLength = 16;

function lineOf(notice: QueuedNotice): string {
  const text = JSON.stringify(notice);
  return `${sha256Hex(text).slice(0, hashLength)} ${text}\n`;
}

/** Leaves out lines that are not whole or that someone else wrote. */
function noticesIn(path: string): QueuedNotice[] {
  const text = ignoringAbsence(() => readPart(path, longestRead, 0).toString("utf8")) ?? "";
  return text.split("\n").flatMap((line) => {
    const said = line.slice(hashLength + 1);
    if (said === "" || sha256Hex(said).slice(0, hashLength) !== line.slice(0, hashLength)) return [];
    const notice = parseJson(said);
    return isNotice(notice) ? [notice] : [];
  });
}

function isNotice(value: unknown): value is QueuedNotice {
  if (!isRecord(value)) return false;
  const { id, at, version, place } = value;
  return (
    typeof id === "string" && typeof at === "string" && Number.isSafeInteger(version) && Number.isSafeInteger(place)
  );
}

function ignoringAbsence<T>(act: () => T): T | null {
  try {
    return act();
  } catch (error) {
    // Missing, or something else is in its place, such as a link.
    if (error instanceof Error && "code" in error && absent.includes(String(error.code))) return null;
    throw error;
  }
}

const absent = ["ENOENT", "ENOTDIR", "ELOOP", "EISDIR", "ENXIO", "EACCES"];
