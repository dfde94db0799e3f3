import { execFile } from "node:child_process";
import { readOnlyEnv, safeGitOptions } from "./safe-git.ts";

export interface GitFacts {
  readonly commit: string;
  /** Null if git could not tell. */
  readonly dirty: boolean | null;
}

/** The current commit of a folder, and whether it has uncommitted changes; null without git or without a commit. */
export async function gitFacts(folder: string): Promise<GitFacts | null> {
  const commit = await git(folder, ["rev-parse", "--verify", "--quiet", "HEAD"]);
  if (commit === null || commit.trim() === "") return null;
  const changes = await git(folder, ["status", "--porcelain", "--untracked-files=normal"]);
  return { commit: commit.trim(), dirty: changes === null ? null : changes.trim() !== "" };
}

function git(folder: string, args: readonly string[]): Promise<string | null> {
  const env = readOnlyEnv(process.env);
  const options = { cwd: folder, env, timeout: 10_000, maxBuffer: 16 * 1024 * 1024 };
  return new Promise((resolve) => {
    execFile("git", [...safeGitOptions, ...args], options, (error, stdout) => resolve(error === null ? stdout : null));
  });
}
