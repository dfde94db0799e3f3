import { closeSync, constants, fdatasyncSync, fstatSync, lstatSync, openSync, readSync, writeSync } from "node:fs";
import { sep } from "node:path";
import { hasCode } from "./files.ts";
import { refuseLinkedState } from "./links.ts";

/**
 * An append-only file, never opened through a link. Each method is one system call, so that tests can make each one
 * fail.
 */
export interface AppendFile {
  size(): number;
  /** Distinguishes this file from another one that replaces it at the same path. */
  readonly identity: string;
  /** One write at the end of the file; may write fewer bytes if the disk is full. */
  write(bytes: Uint8Array): number;
  flush(): void;
  read(position: number, length: number): Uint8Array;
  /** Its size while the path still leads to this file; null otherwise. */
  sizeInPlace(): number | null;
  close(): void;
}

export interface AppendFiles {
  /** Null when `create` is false and there is no such file. */
  open(path: string, how: { readonly create: boolean }): AppendFile | null;
  openForReading(path: string): AppendFile | null;
}

const { O_APPEND, O_CREAT, O_NOFOLLOW, O_NONBLOCK, O_RDWR, O_RDONLY } = constants;

export const appendFiles: AppendFiles = {
  open: (path, { create }) => openWith(path, O_RDWR | O_APPEND | (create ? O_CREAT : 0)),
  openForReading: (path) => openWith(path, O_RDONLY),
};

function openWith(path: string, flags: number): AppendFile | null {
  const file = openIfThere(path, flags);
  if (file === null) return null;
  const { dev, ino } = fstatSync(file);
  return {
    identity: `${dev}:${ino}`,
    size: () => fstatSync(file).size,
    write: (bytes) => writeSync(file, bytes),
    flush: () => fdatasyncSync(file),
    read(position, length) {
      const buffer = Buffer.allocUnsafe(length);
      return buffer.subarray(0, readSync(file, buffer, 0, length, position));
    },
    sizeInPlace() {
      const there = lstatSync(path, { throwIfNoEntry: false });
      return there?.ino === ino && there.dev === dev ? there.size : null;
    },
    close: () => closeSync(file),
  };
}

function openIfThere(path: string, flags: number): number | null {
  try {
    refuseLinkedState(path + sep);
    return openSync(path, flags | (O_NOFOLLOW ?? 0) | (O_NONBLOCK ?? 0), 0o644);
  } catch (error) {
    if (hasCode(error, "ENOENT")) return null;
    throw error;
  }
}
