import { chmodSync, readdirSync, realpathSync, rmdirSync, rmSync } from "node:fs";
import { dirname, join } from "node:path";
import { hasCode, replaceFile, unwritable } from "../../platform/files.ts";
import { keepOriginal, recordFolder, writeRecord } from "./installed-record.ts";
import type { Change, Plan } from "./plan.ts";
import { refuseLinked } from "./project-file.ts";

/** What was there before is kept first and forgotten last, so that it can be given back whenever this is cut short. */
export function applyPlan(project: string, { changes, record }: Plan): void {
  if (changes.length === 0) return;
  refuseLinked(project, recordFolder);
  for (const { path } of changes) refuseLinked(project, path);
  const removes = changes.every(({ what }) => what !== "created" && what !== "updated");
  for (const { path, original } of changes) if (original !== undefined) keepOriginal(project, path, original);
  if (!removes) writeRecord(project, record);
  for (const change of changes) apply(project, change);
  if (removes) writeRecord(project, record);
}

function apply(project: string, { path, before, after }: Change): void {
  const place = before?.place ?? join(project, path);
  if (after === null) {
    remove(place);
    removeEmptied(dirname(place), realpathSync(project));
    return;
  }
  replaceFile(place, after);
  if (before !== null) chmodSync(place, before.mode);
}

function remove(place: string): void {
  try {
    rmSync(place);
  } catch (cause) {
    // Another process may have been faster.
    if (!hasCode(cause, "ENOENT")) throw unwritable(place, cause);
  }
}

/** Removes a folder that became empty, and those above it up to the project. */
function removeEmptied(folder: string, project: string): void {
  try {
    if (folder === project || readdirSync(folder).length > 0) return;
    rmdirSync(folder);
  } catch (error) {
    if (!hasCode(error, "ENOENT", "ENOTEMPTY", "EEXIST", "EBUSY", "EACCES", "EPERM")) throw error;
  }
  removeEmptied(dirname(folder), project);
}
