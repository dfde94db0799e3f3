import { execFile } from "node:child_process";

export interface GitFacts {
  readonly commit: string;
  /** Null if git could not tell. */
  readonly dirty: boolean | null;
}

/**
 * A read-only look must not run programs that the repository configures, nor believe a bare repository that is committed
 * as plain files: its configuration and its index are the attacker's.
 */
export const safeGitOptions: readonly string[] = [
  "--no-optional-locks",
  "-c",
  "core.fsmonitor=false",
  "-c",
  "core.hooksPath=/dev/null",
  "-c",
  "safe.bareRepository=explicit",
];

/** Set inside git hooks; they would make git look at another repository. */
const misleading = [
  "GIT_DIR",
  "GIT_WORK_TREE",
  "GIT_COMMON_DIR",
  "GIT_INDEX_FILE",
  "GIT_OBJECT_DIRECTORY",
  "GIT_PREFIX",
];

/** The current commit of a folder, and whether it has uncommitted changes; null without git or without a commit. */
export async function gitFacts(folder: string): Promise<GitFacts | null> {
  const commit = await git(folder, ["rev-parse", "--verify", "--quiet", "HEAD"]);
  if (commit === null || commit.trim() === "") return null;
  const changes = await git(folder, ["status", "--porcelain", "--untracked-files=normal"]);
  return { commit: commit.trim(), dirty: changes === null ? null : changes.trim() !== "" };
}

function git(folder: string, args: readonly string[]): Promise<string | null> {
  const env = withoutGitVariables(process.env);
  const options = { cwd: folder, env, timeout: 10_000, maxBuffer: 16 * 1024 * 1024 };
  return new Promise((resolve) => {
    execFile("git", [...safeGitOptions, ...args], options, (error, stdout) => resolve(error === null ? stdout : null));
  });
}

export function withoutGitVariables(
  env: Readonly<Record<string, string | undefined>>,
): Record<string, string | undefined> {
  return Object.fromEntries(Object.entries(env).filter(([name]) => !misleading.includes(name)));
}
