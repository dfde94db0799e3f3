import { randomBytes } from "node:crypto";
import { statSync } from "node:fs";
import { join } from "node:path";
import { isHoldfastError } from "../../errors.ts";
import { hasCode, readTextIfExists, replaceFile } from "../../platform/files.ts";
import { sizeLimits } from "../../platform/size-limits.ts";

/**
 * The key that signs the cookies of readers, so that a page goes on after the server was started again. Without a place to
 * keep it, it lasts as long as the server.
 */
export function serveKey(configFolder: string): Buffer {
  const file = join(configFolder, "serve-key");
  try {
    const known = isPrivate(file) ? (readTextIfExists(file, sizeLimits.name) ?? "").trim() : "";
    if (/^[0-9a-f]{64}$/.test(known)) return Buffer.from(known, "hex");
    const key = randomBytes(32);
    replaceFile(file, `${key.toString("hex")}\n`, "flushed", 0o600);
    return key;
  } catch (error) {
    if (isHoldfastError(error, "file-unreadable") || isHoldfastError(error, "file-unwritable")) return randomBytes(32);
    throw error;
  }
}

/** A key that others could read is not used any more. Windows has no such bits. */
function isPrivate(file: string): boolean {
  try {
    return process.platform === "win32" || (statSync(file).mode & 0o077) === 0;
  } catch (error) {
    if (hasCode(error, "ENOENT", "ENOTDIR", "EACCES")) return false;
    throw error;
  }
}
