import { closeSync, fstatSync, lstatSync, readSync, realpathSync, type Stats } from "node:fs";
import { isHoldfastError } from "../errors.ts";
import { openInPlace, unreadable } from "../platform/files.ts";

/** An open file. Each method is one system call, so that a test can fake any of them. */
export interface OpenFile {
  stat(): Pick<Stats, "size" | "mtimeMs" | "ctimeMs">;
  /** At most `length` bytes from a position; fewer at the end. */
  read(position: number, length: number): Uint8Array;
  close(): void;
}

export type FileBytes =
  | { readonly ok: true; readonly bytes: Uint8Array }
  | { readonly ok: false; readonly problem: string };

const largest = 64 * 1024 * 1024;
const attempts = 3;

/** Reads a regular file, given by its real path, as it was at one moment. */
export function readFileBytes(path: string): FileBytes {
  return withReadErrors(path, () => readStable(() => openRegular(path)));
}

/** Whether a file has a NUL byte near its beginning, which is how git detects binary files. */
export function looksBinary(path: string): boolean {
  const head = withReadErrors(path, () => {
    const file = openRegular(path);
    if (typeof file === "string") return { ok: false, problem: file };
    try {
      return { ok: true, bytes: file.read(0, 8_000) };
    } finally {
      file.close();
    }
  });
  return !head.ok || head.bytes.includes(0);
}

/** Reads the file again until it did not change from before the first byte to after the last. */
export function readStable(open: () => OpenFile | string): FileBytes {
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
  return { ok: false, problem: "keeps changing while it is read; try again later" };
}

function readAll(file: OpenFile, size: number): Uint8Array {
  const chunks: Uint8Array[] = [];
  let done = 0;
  // Ask for one byte more than expected, to notice that the file has grown.
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

/** Opens a regular file under a real path, or says why not. Other files are never opened: opening alone can have effects. */
function openRegular(path: string): OpenFile | string {
  const kind = notAFile(lstatSync(path));
  if (kind !== null) return kind;
  // If a pipe has replaced the file in the meantime, a plain open could block forever.
  const file = openInPlace(path);
  const changed = notAFile(fstatSync(file)) ?? (isInPlace(path) ? null : "has moved");
  if (changed === null) return openFile(file);
  closeSync(file);
  return changed;
}

/** Whether no part of the path has become a link since it was resolved. */
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

function notAFile(found: Stats): string | null {
  if (found.isFile()) return null;
  if (found.isDirectory()) return "is a folder, not a file";
  if (found.isFIFO()) return "is a pipe, not a file";
  if (found.isCharacterDevice() || found.isBlockDevice()) return "is a device, not a file";
  return found.isSocket() ? "is a socket, not a file" : "is not a regular file";
}

function withReadErrors(path: string, read: () => FileBytes): FileBytes {
  try {
    return read();
  } catch (cause) {
    const error = unreadable(path, cause);
    if (isHoldfastError(error, "file-unreadable"))
      return { ok: false, problem: `cannot be read: ${error.data.problem}` };
    throw error;
  }
}
