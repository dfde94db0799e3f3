import { join } from "node:path";
import { namesInFolder } from "../platform/files.ts";
import { refuseLinks, stateFolder } from "../platform/links.ts";
import { findRoots } from "../platform/roots.ts";

/** Whether the project of a folder has any runs, live or not. Loads little, for callers that must start fast. */
export function hasRuns(folder: string): boolean {
  const { stateRoot } = findRoots(folder);
  refuseLinks(stateRoot);
  return namesInFolder(join(stateRoot, stateFolder, "runs"), "ENOTDIR").length > 0;
}
