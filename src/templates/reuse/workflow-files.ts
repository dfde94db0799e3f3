import { readdirSync } from "node:fs";
import { basename, extname, join, sep } from "node:path";
import { hasCode, unreadable } from "../../platform/files.ts";

const endings = [".yaml", ".yml", ".json"];

/** Whether a text is the path of a workflow's file rather than its name. */
export function isWorkflowPath(text: string): boolean {
  return text.includes("/") || text.includes(sep) || endings.includes(extname(text));
}

/** A workflow is named after its file. */
export function workflowName(file: string): string {
  return basename(file, extname(file));
}

/** The workflow files in a folder; none if it does not exist. */
export function workflowFilesIn(folder: string): string[] {
  try {
    const names = readdirSync(folder);
    return names
      .filter((name) => endings.includes(extname(name)) && !name.startsWith("."))
      .map((name) => join(folder, name));
  } catch (cause) {
    if (hasCode(cause, "ENOENT", "ENOTDIR")) return [];
    throw unreadable(folder, cause);
  }
}
