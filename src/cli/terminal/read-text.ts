import { existsSync } from "node:fs";
import { resolve } from "node:path";
import { hasCode } from "../../platform/files.ts";
import { leadsOut } from "../../platform/path-inside.ts";
import { readInputFile } from "../../platform/read-input-file.ts";
import { findRoots } from "../../platform/roots.ts";
import type { Io } from "./io.ts";
import { Interrupted, UsageError } from "./usage-error.ts";

/** Reads a text from a file, or from standard input if the file is `-`. */
export async function readText(io: Io, file: string): Promise<string> {
  const bytes = file === "-" ? await io.readInput() : await readBytes(io, file);
  const where = file === "-" ? "standard input" : file;
  try {
    const text = new TextDecoder("utf-8", { fatal: true }).decode(bytes);
    if (!text.includes("\0")) return text;
  } catch (error) {
    if (!(error instanceof TypeError)) throw error;
  }
  throw new UsageError(`${where} is not UTF-8 text`, "send UTF-8 text");
}

/** For a file that an operation reads: if it is missing, the arguments are wrong, as everywhere. */
export function refuseMissing(io: Io, file: string): void {
  if (!existsSync(resolve(io.cwd, file))) throw missing(file, "ENOENT");
}

function missing(file: string, code: string): UsageError {
  return new UsageError(`cannot read ${file} (${code})`, "check the path and the permissions");
}

async function readBytes(io: Io, file: string): Promise<Uint8Array> {
  try {
    const path = resolve(io.cwd, file);
    if (leadsOut(findRoots(io.cwd).projectRoot, path)) {
      throw new UsageError(`${file} is behind a link that leads out of the project`, "name the file itself");
    }
    return await readInputFile(path, io.signal);
  } catch (error) {
    if (hasCode(error, "EINTR")) throw new Interrupted(file);
    if (hasCode(error, "E2BIG")) throw new UsageError(`${file} has more than 100,000,000 bytes`);
    if (error instanceof UsageError || !(error instanceof Error && "code" in error)) throw error;
    throw missing(file, String(error.code));
  }
}
