import { closeSync, constants, fstatSync, lstatSync, openSync, readSync, realpathSync, type Stats } from "node:fs";
import { isHoldfastError } from "../errors.ts";
import { unreadable } from "../platform/files.ts";

/** A file that is open. Every call is one call to the system, so that a test can make any of them tell something else. */
export interface OpenFile {
  stat(): Pick<Stats, "size" | "mtimeMs" | "ctimeMs">;
  /** At most `length` bytes from a place on; less at the end. */
  read(position: number, length: number): Uint8Array;
  close(): void;
}

export type FileBytes =
  | { readonly ok: true; readonly bytes: Uint8Array }
  | { readonly ok: false; readonly problem: string };

const largest = 64 * 1024 * 1024;
const attempts = 3;

/** All of a plain file as it was at one moment, by its real path. */
export function readFileBytes(path: string): FileBytes {
  return guarded(path, () => readSteady(() => openPlain(path)));
}

/** Whether a file has zero bytes near its beginning, as git tells text from what is none. */
export function looksBinary(path: string): boolean {
  const head = guarded(path, () => {
    const file = openPlain(path);
    if (typeof file === "string") return { ok: false, problem: file };
    try {
      return { ok: true, bytes: file.read(0, 8_000) };
    } finally {
      file.close();
    }
  });
  return !head.ok || head.bytes.includes(0);
}

/** Reads until nothing has changed from before the first byte to after the last. */
export function readSteady(open: () => OpenFile | string): FileBytes {
  for (let attempt = 0; attempt < attempts; attempt++) {
    const file = open();
    if (typeof file === "string") return { ok: false, problem: file };
    try {
      const before = file.stat();
      if (before.size > largest) return { ok: false, problem: `is larger than ${largest / 1024 / 1024} MiB` };
      const bytes = readAll(file, before.size);
      if (isSame(before, file.stat()) && bytes.length === before.size) return { ok: true, bytes };
    } finally {
      file.close();
    }
  }
  return { ok: false, problem: "changes while it is read; try again when it is still" };
}

function readAll(file: OpenFile, size: number): Uint8Array {
  const chunks: Uint8Array[] = [];
  let done = 0;
  // One byte more than there should be, to see when there is more.
  while (done <= size) {
    const chunk = file.read(done, size - done + 1);
    if (chunk.length === 0) break;
    chunks.push(chunk);
    done += chunk.length;
  }
  return chunks.length === 1 && chunks[0] !== undefined ? chunks[0] : Buffer.concat(chunks);
}

function isSame(a: ReturnType<OpenFile["stat"]>, b: ReturnType<OpenFile["stat"]>): boolean {
  return a.size === b.size && a.mtimeMs === b.mtimeMs && a.ctimeMs === b.ctimeMs;
}

/** A plain file under a real path, or why it is none. What is not a regular file is not even opened: that alone can act. */
function openPlain(path: string): OpenFile | string {
  const kind = otherThanFile(lstatSync(path));
  if (kind !== null) return kind;
  // A pipe that has taken its place meanwhile would let whoever opens it wait for ever.
  const file = openSync(path, constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0));
  const changed = otherThanFile(fstatSync(file)) ?? (isInPlace(path) ? null : "has moved");
  if (changed === null) return openFile(file);
  closeSync(file);
  return changed;
}

/** Whether no part of a real path has become a link since it was resolved. */
function isInPlace(path: string): boolean {
  try {
    return realpathSync.native(path) === path;
  } catch (error) {
    if (error instanceof Error && "code" in error) return false;
    throw error;
  }
}

function openFile(file: number): OpenFile {
  return {
    stat: () => fstatSync(file),
    read(position, length) {
      const buffer = Buffer.allocUnsafe(length);
      return buffer.subarray(0, readSync(file, buffer, 0, length, position));
    },
    close: () => closeSync(file),
  };
}

function otherThanFile(found: Stats): string | null {
  if (found.isFile()) return null;
  if (found.isDirectory()) return "is a folder, not a file";
  if (found.isFIFO()) return "is a pipe, not a file";
  if (found.isCharacterDevice() || found.isBlockDevice()) return "is a device, not a file";
  return found.isSocket() ? "is a socket, not a file" : "is not a regular file";
}

function guarded(path: string, read: () => FileBytes): FileBytes {
  try {
    return read();
  } catch (cause) {
    const error = unreadable(path, cause);
    if (isHoldfastError(error, "file-unreadable"))
      return { ok: false, problem: `cannot be read: ${error.data.problem}` };
    throw error;
  }
}
