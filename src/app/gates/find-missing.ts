import { statSync } from "node:fs";
import { realpath } from "node:fs/promises";
import { isAbsolute, join, sep } from "node:path";
import { hasCode } from "../../platform/files.ts";

/** The patterns that match no non-empty file inside the project, each with the reason. */
export async function findMissing(projectRoot: string, patterns: readonly string[]): Promise<string[]> {
  const root = await realpath(projectRoot);
  const problems: string[] = [];
  for (const pattern of patterns) {
    const problem = await missing(root, pattern);
    if (problem !== null) problems.push(`${pattern}: ${problem}`);
  }
  return problems;
}

/** Whether this is a file inside the project, empty or not. */
export async function isInside(projectRoot: string, path: string): Promise<boolean> {
  const problem = await fileProblem(await realpath(projectRoot), path);
  return problem === null || problem === empty;
}

const outside = "it is outside the project";

async function missing(root: string, pattern: string): Promise<string | null> {
  if (isAbsolute(pattern) || pattern.split(/[/\\]/).includes("..")) return outside;
  // A path such as app/[id]/page.tsx looks like a glob, so it is tried as a plain path first.
  const problem = await fileProblem(root, pattern);
  if (problem !== absent || !/[*?[\]{}!()]/.test(pattern)) return problem;
  return missingMatch(root, pattern);
}

async function missingMatch(root: string, glob: string): Promise<string | null> {
  const { matchFiles } = await import("./match-files.ts");
  const files = matchFiles(root, glob);
  let isEmpty = false;
  for (;;) {
    const next = await files.next();
    if (next.done === true) return next.value ?? (isEmpty ? "only empty files match" : "no file matches");
    if ((await fileProblem(root, next.value)) === null) return null;
    isEmpty = true;
  }
}

const absent = "there is no such file";
const empty = "it is empty";

async function fileProblem(root: string, path: string): Promise<string | null> {
  try {
    const file = await realpath(join(root, path));
    if (!file.startsWith(root + sep)) return outside;
    const found = statSync(file);
    if (found.isDirectory()) return "it is a folder, not a file";
    if (!found.isFile()) return "it is not a regular file";
    return found.size === 0 ? empty : null;
  } catch (error) {
    if (hasCode(error, "ENOENT", "ENOTDIR", "ELOOP", "EACCES", "ENAMETOOLONG", "ERR_INVALID_ARG_VALUE")) return absent;
    throw error;
  }
}
