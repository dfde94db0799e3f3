import { posix } from "node:path";

/** Of a folder with more files than these, only their number is named. */
const mostNamed = 3;

/** The paths of files in a list that stays short: `opencode.json, .opencode/commands/ (4 files)`. */
export function nameFiles(paths: readonly string[]): string {
  const folders = paths.map((path) => posix.dirname(path));
  const names = paths.map((path) => {
    const folder = posix.dirname(path);
    const count = folders.filter((each) => each === folder).length;
    return count > mostNamed && folder !== "." ? `${folder}/ (${count} files)` : path;
  });
  return [...new Set(names)].join(", ");
}
