import { lstatSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { Project } from "./program.ts";

export const settings = '{\n  // mine\n  "model": "opus"\n}\n';

/** Every file of the project with its content, but for git's own. */
export function filesIn(project: Project): Record<string, string> {
  const names = readdirSync(project.root, { recursive: true, encoding: "utf8" }).toSorted();
  const files = names.filter((name) => !name.startsWith(".git/") && !lstatSync(join(project.root, name)).isDirectory());
  return Object.fromEntries(files.map((name) => [name, readFileSync(join(project.root, name), "utf8")]));
}

export async function init(project: Project, ...words: readonly string[]): Promise<string> {
  const { code, stdout, stderr } = await project.holdfast(["init", ...words]);
  return `${code}\n${stdout}${stderr}`;
}

export const both = ["--host", "claude,codex", "--yes"];
