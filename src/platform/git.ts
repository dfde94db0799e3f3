import { execFile } from "node:child_process";

export interface GitFacts {
  readonly commit: string;
  /** Null when git could not tell. */
  readonly dirty: boolean | null;
}

/** Nothing that a repository configures may run when we only look. */
export const safeGitOptions: readonly string[] = [
  "--no-optional-locks",
  "-c",
  "core.fsmonitor=false",
  "-c",
  "core.hooksPath=/dev/null",
];

/** Set inside a git hook; they would lead git away from the folder that we ask about. */
const misleading = [
  "GIT_DIR",
  "GIT_WORK_TREE",
  "GIT_COMMON_DIR",
  "GIT_INDEX_FILE",
  "GIT_OBJECT_DIRECTORY",
  "GIT_PREFIX",
];

/** The commit that a folder stands at, and whether it was changed since; null without git or without a commit. */
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
