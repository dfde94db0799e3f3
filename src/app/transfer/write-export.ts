import { lstatSync, realpathSync, statSync } from "node:fs";
import { open, writeFile } from "node:fs/promises";
import { replaceFile, unreadable, unwritable } from "../../platform/files.ts";
import { runIn } from "./run-file.ts";

/** Writes an export where it was asked for. False when something else is there than an older export of this run. */
export async function writeExport(file: string, runId: string, text: string): Promise<boolean> {
  switch (whatIsAt(file)) {
    case "nothing":
      replaceFile(file, text);
      return true;
    case "file":
      if (runIn(await beginningOf(file)) !== runId) return false;
      replaceFile(realpathSync(file), text);
      return true;
    case "lost link":
      return false;
    case "other":
      await writeInto(file, text);
      return true;
  }
}

/** What a link leads to is meant, not the link; one that leads nowhere is left as it is. */
function whatIsAt(file: string): "nothing" | "file" | "lost link" | "other" {
  try {
    if (lstatSync(file, { throwIfNoEntry: false }) === undefined) return "nothing";
    const there = statSync(file, { throwIfNoEntry: false });
    if (there === undefined) return "lost link";
    return there.isFile() ? "file" : "other";
  } catch (cause) {
    throw unwritable(file, cause);
  }
}

/** Enough for the first line of any export. */
const longestHead = 4_096;

async function beginningOf(file: string): Promise<string> {
  try {
    const opened = await open(file, "r");
    try {
      const { buffer, bytesRead } = await opened.read(Buffer.alloc(longestHead), 0, longestHead, 0);
      return buffer.toString("utf8", 0, bytesRead);
    } finally {
      await opened.close();
    }
  } catch (cause) {
    throw unreadable(file, cause);
  }
}

/** A pipe or a device takes what is written to it; it may take its time, and can still be interrupted. */
async function writeInto(file: string, text: string): Promise<void> {
  try {
    await writeFile(file, text);
  } catch (cause) {
    throw unwritable(file, cause);
  }
}
