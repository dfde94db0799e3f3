import { isUtf8 } from "node:buffer";
import { hash, randomUUID } from "node:crypto";
import {
  appendFileSync,
  closeSync,
  constants,
  existsSync,
  fchmodSync,
  fstatSync,
  fsyncSync,
  linkSync,
  mkdirSync,
  openSync,
  readdirSync,
  readSync,
  renameSync,
  rmSync,
  writeSync,
} from "node:fs";
import { dirname, join, sep } from "node:path";
import { HoldfastError, isHoldfastError } from "../errors.ts";
import { refuseLinkedState, systemError } from "./links.ts";
import { systemProblem } from "./system-problem.ts";

/**
 * The bytes of a plain file of at most `most` bytes. Synchronous: for small files the thread pool costs more than the
 * read, and a pipe in it keeps a process from exiting.
 */
export function readBytesNow(path: string, most: number): Uint8Array {
  try {
    return readRegularFile(path, most);
  } catch (cause) {
    throw unreadable(path, cause);
  }
}

/**
 * Reads a plain file of at most `most` bytes. Follows links, though never below a state folder: for files of a user, of
 * this program, and for real paths. Files that a project chooses are read by `readInside`. Throws system errors as they
 * are.
 */
export function readRegularFile(path: string, most: number): Buffer {
  return readOpened(openPlain(path, 0), most);
}

/** The same for a file that must not be a link itself. */
export function readInPlace(path: string, most: number): Buffer {
  return readOpened(openInPlace(path), most);
}

/** Opens a plain file for reading, never through a link. Throws system errors as they are. */
export function openInPlace(path: string): number {
  return openPlain(path, noFollow);
}

/** Without waiting: opening a pipe could block forever, and so could reading one. */
export function openPlain(path: string, flags = 0): number {
  refuseLinkedState(path + sep);
  const file = openSync(path, constants.O_RDONLY | nonBlocking | flags);
  try {
    refuseUnlessPlain(file, "read");
    return file;
  } catch (error) {
    closeSync(file);
    throw error;
  }
}

/** Reads what the file had when it was opened, so that it cannot grow without end meanwhile. */
function readOpened(file: number, most: number): Buffer {
  try {
    const { size } = fstatSync(file);
    if (size > most) throw systemError("E2BIG", "read");
    const bytes = Buffer.allocUnsafe(size);
    let done = 0;
    for (let count = -1; done < size && count !== 0; done += count)
      count = readSync(file, bytes, done, size - done, done);
    return bytes.subarray(0, done);
  } finally {
    closeSync(file);
  }
}

// Windows has neither flag.
const nonBlocking = constants.O_NONBLOCK ?? 0;
const noFollow = constants.O_NOFOLLOW ?? 0;

/** The system has no code of its own for pipes and devices; opening a pipe that nobody reads fails with the same. */
function refuseUnlessPlain(file: number, syscall: string): void {
  const there = fstatSync(file);
  if (!there.isFile()) throw systemError(there.isDirectory() ? "EISDIR" : "ENXIO", syscall);
}

/** The file's text, or null if reading fails with one of the codes `absent`, by default only ENOENT. */
export function readTextIfExists(path: string, most: number, ...absent: readonly string[]): string | null {
  try {
    return readRegularFile(path, most).toString("utf8");
  } catch (cause) {
    if (hasCode(cause, "ENOENT", ...absent)) return null;
    throw unreadable(path, cause);
  }
}

export type ReadText = { readonly ok: true; readonly text: string } | { readonly ok: false; readonly problem: string };

/** The text of a plain file of at most `longest` bytes, never through a link; null if it does not exist. */
export function readUtf8(path: string, longest: number): ReadText | null {
  try {
    return decode(readInPlace(path, longest));
  } catch (cause) {
    if (hasCode(cause, "ENOENT", "ENOTDIR")) return null;
    const error = unreadable(path, cause);
    if (isHoldfastError(error, "file-unreadable")) return { ok: false, problem: error.data.problem };
    throw error;
  }
}

function decode(bytes: Buffer): ReadText {
  if (bytes.includes(0) || !isUtf8(bytes)) return { ok: false, problem: "it is not UTF-8 text" };
  return { ok: true, text: bytes.toString("utf8").replace(/^\uFEFF/, "") };
}

/** The names in a folder; none if reading fails with ENOENT or one of the codes `absent`. */
export function namesInFolder(path: string, ...absent: readonly string[]): string[] {
  try {
    refuseLinkedState(path + sep);
    return readdirSync(path);
  } catch (cause) {
    if (hasCode(cause, "ENOENT", ...absent)) return [];
    throw unreadable(path, cause);
  }
}

export type Durability = "flushed" | "quick";

/**
 * Replaces a file atomically: writes a draft next to it and renames that. "quick" skips fsync, for files that can be
 * rebuilt. Without a mode, the file gets that of any new one.
 */
export function replaceFile(
  path: string,
  content: string | Uint8Array,
  durability: Durability = "flushed",
  mode?: number,
): void {
  const draft = join(dirname(path), `.draft-${randomUUID()}`);
  try {
    makeFolders(dirname(path));
    const file = openSync(draft, "wx");
    try {
      if (mode !== undefined) fchmodSync(file, mode);
      const bytes = Buffer.from(content);
      for (let done = 0; done < bytes.length; ) done += writeSync(file, bytes, done);
      if (durability === "flushed") fsyncSync(file);
    } finally {
      closeSync(file);
    }
    renameSync(draft, path);
    if (durability === "flushed") flushFolder(dirname(path));
  } catch (cause) {
    // `rmSync` throws, even with force, if a folder of the path is a file.
    if (existsSync(draft)) rmSync(draft, { force: true });
    throw unwritable(path, cause);
  }
}

/** Creates a file with all of its content at once; false if something is there already. */
export function createFile(path: string, content: string): boolean {
  const draft = join(dirname(path), `.draft-${randomUUID()}`);
  try {
    replaceFile(draft, content);
    linkSync(draft, path);
    flushFolder(dirname(path));
    return true;
  } catch (cause) {
    if (hasCode(cause, "EEXIST")) return false;
    throw unwritable(path, cause);
  } finally {
    if (existsSync(draft)) rmSync(draft, { force: true });
  }
}

interface Appending {
  readonly durability?: Durability;
  /** Whether to write through a link, which a cloned project could contain. */
  readonly follows?: boolean;
}

/** Appends one line to a regular file in one write, so that the lines of two writers do not mix. */
export function appendLine(path: string, line: string, { durability, follows = false }: Appending = {}): void {
  try {
    makeFolders(dirname(path));
    const flags = constants.O_WRONLY | constants.O_APPEND | constants.O_CREAT | nonBlocking;
    const file = openSync(path, follows ? flags : flags | noFollow);
    try {
      refuseUnlessPlain(file, "write");
      appendFileSync(file, `${line}\n`, { flush: durability !== "quick" });
    } finally {
      closeSync(file);
    }
  } catch (cause) {
    throw unwritable(path, cause);
  }
}

/** Creates a folder and those above it. Throws system errors as they are. */
export function makeFolders(path: string): void {
  refuseLinkedState(path + sep);
  mkdirSync(path, { recursive: true });
}

/** A new file name is durable only after its folder is flushed, too. */
export function flushFolder(path: string): void {
  const folder = openSync(path, "r");
  try {
    fsyncSync(folder);
  } finally {
    closeSync(folder);
  }
}

export function hasCode(error: unknown, ...codes: readonly string[]): boolean {
  return error instanceof Error && "code" in error && codes.includes(String(error.code));
}

export function unreadable(file: string, cause: unknown): unknown {
  const problem = systemProblem(cause);
  return problem === null ? cause : new HoldfastError("file-unreadable", { file, problem }, { cause });
}

export function unwritable(file: string, cause: unknown): unknown {
  const problem = systemProblem(cause);
  return problem === null ? cause : new HoldfastError("file-unwritable", { file, problem }, { cause });
}

/**
 * The last bytes of a plain file as text, never through a link. The first character may be cut. Throws system errors as
 * they are.
 */
export function readTail(path: string, most: number): string {
  return readPart(path, most, "end").toString("utf8");
}

/** Whether a plain file begins with a text of plain letters. Reads no more than that, and never through a link. */
export function beginsWith(path: string, text: string): boolean {
  try {
    return readPart(path, text.length, 0).toString("latin1") === text;
  } catch (error) {
    // Missing, a link, a pipe, a folder, or not ours to read.
    if (error instanceof Error && "code" in error) return false;
    throw error;
  }
}

/** At most so many bytes of a plain file, from a place on or at its end, never through a link. Throws system errors as they are. */
export function readPart(path: string, most: number, from: number | "end"): Buffer {
  const file = openInPlace(path);
  try {
    const { size } = fstatSync(file);
    const start = from === "end" ? Math.max(0, size - most) : from;
    const bytes = Buffer.alloc(Math.min(Math.max(size - start, 0), most));
    return bytes.subarray(0, readSync(file, bytes, 0, bytes.length, start));
  } finally {
    closeSync(file);
  }
}

/** The real folders in a folder, never links, ordered by name; none if the folder cannot be read. */
export function foldersIn(path: string): string[] {
  try {
    refuseLinkedState(path + sep);
    const entries = readdirSync(path, { withFileTypes: true });
    return entries.flatMap((entry) => (entry.isDirectory() ? [entry.name] : [])).sort();
  } catch (error) {
    if (hasCode(error, "ENOENT", "ENOTDIR", "EACCES", "ELOOP")) return [];
    throw error;
  }
}

/** The SHA-256 of a text or of bytes, in hex. Node's one-shot `hash` is faster than a Hash object for short input. */
export function sha256Hex(content: string | Uint8Array): string {
  return hash("sha256", content);
}
