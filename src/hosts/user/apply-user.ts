import { chmodSync, rmdirSync, rmSync } from "node:fs";
import { HoldfastError } from "../../errors.ts";
import { hasCode, replaceFile } from "../../platform/files.ts";
import { readHomeFile, refuseOutside } from "../install/project-file.ts";
import { placeOf, type UserChange, type UserPlace, type UserPlan } from "./plan-user.ts";
import { recordFile, recordText } from "./user-record.ts";

/** What was there before is kept first and forgotten last, so that it can be given back whenever this is cut short. */
export function applyUserPlan(place: UserPlace, { changes, record }: UserPlan): void {
  if (changes.length === 0) return;
  // Some of these files hold secrets: nobody else may read them, not even for a moment.
  const mask = process.umask(0o077);
  try {
    const removes = changes.every(({ what }) => what === "deleted" || what === "restored");
    for (const { path } of changes) refuseOutside(place.home, path);
    // Before anything is written: the refusal says that nothing was changed.
    for (const change of changes) refuseChanged(place, change);
    if (!removes) replaceFile(recordFile(place.folder), recordText(record));
    for (const change of changes) apply(place, change);
    if (!removes) return;
    if (Object.keys(record.files).length > 0) replaceFile(recordFile(place.folder), recordText(record));
    else rmSync(recordFile(place.folder), { force: true });
    removeIfEmpty(place.folder);
    // The inner ones first.
    for (const folder of [...record.folders].sort().reverse()) removeIfEmpty(placeOf(place, folder));
  } finally {
    process.umask(mask);
  }
}

function apply(place: UserPlace, change: UserChange): void {
  const { before, after } = change;
  refuseChanged(place, change);
  const target = targetOf(place, change);
  if (after === null) {
    rmSync(target, { force: true });
    return;
  }
  replaceFile(target, after);
  if (before !== null) chmodSync(target, before.mode);
}

/** A running agent program writes its own settings, and its changes must not be lost. */
function refuseChanged(place: UserPlace, change: UserChange): void {
  const { path, before } = change;
  const now = readHomeFile(place.home, path)?.bytes ?? null;
  if (before === null ? now === null : now?.equals(before.bytes)) return;
  const problem = "another program has just changed it; try again";
  throw new HoldfastError("file-unwritable", { file: targetOf(place, change), problem });
}

function targetOf(place: UserPlace, { path, before }: UserChange): string {
  return before?.place ?? placeOf(place, path);
}

function removeIfEmpty(folder: string): void {
  try {
    rmdirSync(folder);
  } catch (error) {
    if (!hasCode(error, "ENOENT", "ENOTEMPTY", "EEXIST", "EBUSY", "EACCES", "EPERM", "ENOTDIR")) throw error;
  }
}
