import { type Stats, statSync } from "node:fs";

/** What the system says of a file or folder without opening it. As long as that stays the same, so does what is in it. */
export interface Stamp {
  readonly path: string;
  readonly seen: Pick<Stats, "dev" | "ino" | "size" | "mtimeMs" | "ctimeMs"> | "absent" | "unknown";
  /** False so soon after a change that another one could follow under the very same stamp. */
  readonly settled: boolean;
}

export function stampOf(path: string): Stamp {
  const seen = look(path);
  return { path, seen, settled: typeof seen === "string" ? seen === "absent" : hasSettled(seen.ctimeMs) };
}

/** Whether what was stamped is still what it was, as far as a stamp that has settled can tell. */
export function isUnchanged({ path, seen }: Stamp): boolean {
  const now = look(path);
  if (typeof now === "string" || typeof seen === "string") return now === seen;
  return (
    now.ctimeMs === seen.ctimeMs &&
    now.mtimeMs === seen.mtimeMs &&
    now.size === seen.size &&
    now.ino === seen.ino &&
    now.dev === seen.dev
  );
}

/** Unlike the time of the last writing, nobody can set back the time of the last change of any kind. */
export function hasSettled(changedMs: number): boolean {
  // The clock of a file system ticks every few milliseconds, or every other second where it counts in whole ones.
  const slowestTickMs = changedMs % 1_000 === 0 ? 2_000 : 100;
  return Date.now() - changedMs > slowestTickMs;
}

function look(path: string): Stamp["seen"] {
  try {
    return statSync(path, { throwIfNoEntry: false }) ?? "absent";
  } catch (error) {
    // Whoever reads it says why.
    if (error instanceof Error && "code" in error) return "unknown";
    throw error;
  }
}
