import { isUtf8 } from "node:buffer";
import { closeSync, constants, fstatSync, openSync, readFileSync } from "node:fs";
import { isHoldfastError } from "../errors.ts";
import { hasCode, unreadable } from "../platform/files.ts";

export type ReadText = { readonly ok: true; readonly text: string } | { readonly ok: false; readonly problem: string };

/** Reads a regular file of at most `longest` bytes, never through a link; null if it does not exist. */
export function readText(path: string, longest: number): ReadText | null {
  try {
    // Without O_NONBLOCK, opening a pipe could block forever.
    const file = openSync(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
    try {
      return readPlain(file, longest);
    } finally {
      closeSync(file);
    }
  } catch (cause) {
    if (hasCode(cause, "ENOENT", "ENOTDIR")) return null;
    const error = unreadable(path, cause);
    if (isHoldfastError(error, "file-unreadable")) return { ok: false, problem: error.data.problem };
    throw error;
  }
}

function readPlain(file: number, longest: number): ReadText {
  const found = fstatSync(file);
  if (found.isDirectory()) return { ok: false, problem: "it is a folder" };
  if (!found.isFile()) return { ok: false, problem: "it is not a regular file" };
  if (found.size > longest) return { ok: false, problem: "it is too large" };
  return decode(readFileSync(file));
}

function decode(bytes: Buffer): ReadText {
  if (bytes.includes(0) || !isUtf8(bytes)) return { ok: false, problem: "it is not UTF-8 text" };
  return { ok: true, text: bytes.toString("utf8").replace(/^\uFEFF/, "") };
}
