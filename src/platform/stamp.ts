import { type Stats, statSync } from "node:fs";

/** Metadata of a file or folder; while it is unchanged, so is the content. */
export interface Stamp {
  readonly path: string;
  readonly seen: Pick<Stats, "dev" | "ino" | "size" | "mtimeMs" | "ctimeMs"> | "absent" | "unknown";
  /** False shortly after a change, when another change could leave the same metadata. */
  readonly settled: boolean;
}

export function stampOf(path: string): Stamp {
  const seen = readMetadata(path);
  return { path, seen, settled: typeof seen === "string" ? seen === "absent" : hasSettled(seen.ctimeMs) };
}

/** Whether the file is unchanged. Reliable only for a settled stamp. */
export function isUnchanged({ path, seen }: Stamp): boolean {
  const now = readMetadata(path);
  if (typeof now === "string" || typeof seen === "string") return now === seen;
  return (
    now.ctimeMs === seen.ctimeMs &&
    now.mtimeMs === seen.mtimeMs &&
    now.size === seen.size &&
    now.ino === seen.ino &&
    now.dev === seen.dev
  );
}

/** Takes the ctime, which programs cannot set back, unlike the mtime. */
export function hasSettled(changedMs: number): boolean {
  // File systems store times with a resolution of milliseconds, or of up to two seconds if they store whole seconds.
  const slowestTickMs = changedMs % 1_000 === 0 ? 2_000 : 100;
  return Date.now() - changedMs > slowestTickMs;
}

function readMetadata(path: string): Stamp["seen"] {
  try {
    return statSync(path, { throwIfNoEntry: false }) ?? "absent";
  } catch (error) {
    // Reading the file will report the error.
    if (error instanceof Error && "code" in error) return "unknown";
    throw error;
  }
}
