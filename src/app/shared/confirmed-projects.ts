import { join } from "node:path";
import * as z from "zod";
import { parseJson } from "../../model/json.ts";
import type { Deps } from "../../operation/operation.ts";
import { appendLine, readTextIfExists } from "../../platform/files.ts";
import { sizeLimits } from "../../platform/size-limits.ts";
import { originHash } from "../workflows/trust.ts";

type Here = Pick<Deps, "roots" | "user">;

/** Whether a person has confirmed that this clone, with this origin, keeps its runs in a project of this name. */
export function isConfirmed(here: Here, name: string): boolean {
  return confirmedAt(here, name) !== null;
}

/** When they did; null if nobody has. */
export function confirmedAt(here: Here, name: string): string | null {
  const key = keyFor(here, name);
  return readEntries(here).find((entry) => isSame(entry, key))?.at ?? null;
}

export function confirmProject(here: Here, name: string, at: string): void {
  if (isConfirmed(here, name)) return;
  // One appended line per entry: two processes at once lose neither. Whoever edits the file may leave no end of line.
  const line = `\n${JSON.stringify({ ...keyFor(here, name), at })}`;
  appendLine(join(here.user.configFolder, confirmedName), line, { follows: true });
}

/** In the user's folder. */
export const confirmedName = "shared-projects.jsonl";

const Entry = z.strictObject({
  format: z.literal(1),
  /** The state root and a hash of git's origin, as for trust: another clone in its place asks again. */
  folder: z.string(),
  origin: z.string().nullable(),
  project: z.string(),
  at: z.string(),
});
type Entry = z.infer<typeof Entry>;
type Key = Omit<Entry, "at">;

function keyFor({ roots: { stateRoot } }: Here, project: string): Key {
  return { format: 1, folder: stateRoot, origin: originHash(stateRoot), project };
}

function isSame(one: Key, other: Key): boolean {
  return (["folder", "origin", "project"] as const).every((key) => one[key] === other[key]);
}

function readEntries({ user }: Here): readonly Entry[] {
  const text = readTextIfExists(join(user.configFolder, confirmedName), sizeLimits.trust) ?? "";
  return text.split("\n").flatMap((line) => {
    const parsed = Entry.safeParse(line === "" ? null : parseJson(line));
    return parsed.success ? [parsed.data] : [];
  });
}
