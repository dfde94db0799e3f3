import { readFile } from "node:fs/promises";
import { HoldfastError } from "../errors.ts";

export async function readBytes(path: string): Promise<Uint8Array> {
  try {
    return await readFile(path);
  } catch (cause) {
    if (!(cause instanceof Error) || !("code" in cause)) throw cause;
    throw new HoldfastError("file-unreadable", { file: path, problem: String(cause.code) }, { cause });
  }
}
