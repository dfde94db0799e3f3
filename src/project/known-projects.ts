import { existsSync, mkdirSync, writeFileSync } from "node:fs";
import { isAbsolute, join } from "node:path";
import { hasCode, namesInFolder, readTextIfExists, sha256Hex } from "../platform/files.ts";
import { sizeLimits } from "../platform/size-limits.ts";
import type { User } from "./find-user.ts";

/** A project where this user has run `init`, `start` or `serve`. */
export interface KnownProject {
  /** A hash of the folder. */
  readonly key: string;
  readonly folder: string;
}

/** Remembers a project for the dashboard. A folder that cannot be written is no reason to stop what is being done. */
export function rememberProject({ configFolder }: User, folder: string): void {
  const projects = join(configFolder, "projects");
  const file = join(projects, sha256Hex(folder).slice(0, keyLength));
  if (existsSync(file)) return;
  try {
    mkdirSync(projects, { recursive: true, mode: 0o700 });
    writeFileSync(file, `${folder}\n`, { flag: "wx", mode: 0o600 });
  } catch (error) {
    // Whatever the system has against it; a bug has no such code.
    if (!(error instanceof Error && "syscall" in error)) throw error;
  }
}

const keyLength = 16;

/** By folder. Files that are not ours, or cannot be read, are left out. */
export function knownProjects({ configFolder }: User): readonly KnownProject[] {
  const projects = join(configFolder, "projects");
  const keys = namesInFolder(projects, "ENOTDIR", "EACCES").filter((name) => /^[0-9a-f]{16}$/.test(name));
  return keys
    .flatMap((key) => {
      const folder = readFolder(join(projects, key));
      return isAbsolute(folder) && sha256Hex(folder).startsWith(key) ? [{ key, folder }] : [];
    })
    .sort((one, other) => (one.folder < other.folder ? -1 : 1));
}

function readFolder(file: string): string {
  try {
    return readTextIfExists(file, sizeLimits.name)?.replace(/\n$/, "") ?? "";
  } catch (error) {
    if (hasCode(error, "file-unreadable")) return "";
    throw error;
  }
}
