import { spawnSync } from "node:child_process";
import { existsSync, readdirSync } from "node:fs";
import { dirname, join } from "node:path";
import type { Io } from "../terminal/io.ts";
import { wrapText } from "../terminal/wrap-text.ts";

/** Offers to make an empty folder a git repository. Without one Holdfast works too, but runs cannot be pushed. */
export async function offerGit(project: string, io: Io): Promise<boolean> {
  if (readdirSync(project).length > 0 || isInRepository(project)) return false;
  const edge = io.styles.out.columns ?? Number.POSITIVE_INFINITY;
  const question = wrapText("This folder is empty and not in a git repository. Run git init here? [y/N]", edge);
  return /^y(es)?$/i.test((await io.ask(`${question} `)).trim());
}

export function makeRepository(project: string, io: Io): void {
  const { status } = spawnSync("git", ["init", "--quiet"], { cwd: project, stdio: "ignore" });
  io.out(status === 0 ? "created a git repository\n" : "git init failed; continuing without a repository\n");
}

export function isInRepository(folder: string): boolean {
  return existsSync(join(folder, ".git")) || (dirname(folder) !== folder && isInRepository(dirname(folder)));
}
