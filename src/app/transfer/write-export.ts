import { lstatSync, realpathSync, statSync } from "node:fs";
import { writeFile } from "node:fs/promises";
import { readPart, replaceFile, unreadable, unwritable } from "../../platform/files.ts";
import { exportedRunId } from "./run-file.ts";

/** Writes an export. Returns false if the file exists and is not an older export of the same run. */
export async function writeExport(file: string, runId: string, text: string): Promise<boolean> {
  switch (whatIsAt(file)) {
    case "nothing":
      replaceFile(file, text);
      return true;
    case "file":
      if (exportedRunId(beginningOf(file)) !== runId) return false;
      replaceFile(realpathSync(file), text);
      return true;
    case "dangling link":
      return false;
    case "other":
      await writeInto(file, text);
      return true;
  }
}

/** Follows a link; a dangling link is left alone. */
function whatIsAt(file: string): "nothing" | "file" | "dangling link" | "other" {
  try {
    if (lstatSync(file, { throwIfNoEntry: false }) === undefined) return "nothing";
    const there = statSync(file, { throwIfNoEntry: false });
    if (there === undefined) return "dangling link";
    return there.isFile() ? "file" : "other";
  } catch (cause) {
    throw unwritable(file, cause);
  }
}

/** Enough for the first line of any export. */
const longestHead = 4_096;

function beginningOf(file: string): string {
  try {
    return readPart(realpathSync(file), longestHead, 0).toString("utf8");
  } catch (cause) {
    throw unreadable(file, cause);
  }
}

/** Writes to a pipe or a device. Asynchronous, because it may block and must stay interruptible. */
async function writeInto(file: string, text: string): Promise<void> {
  try {
    await writeFile(file, text);
  } catch (cause) {
    throw unwritable(file, cause);
  }
}
