import { execFile } from "node:child_process";
import { readOnlyEnv, safeGitOptions } from "../platform/safe-git.ts";

/** The only git commands that are ever run. */
const questions = {
  branch: ["symbolic-ref", "--short", "--quiet", "HEAD"],
  commit: ["rev-parse", "--verify", "--quiet", "HEAD"],
  top: ["rev-parse", "--show-toplevel"],
  status: ["status", "--porcelain", "--untracked-files=normal", "--ignore-submodules=all"],
  log: ["log", "-n", "10", "--format=%h %ad %s", "--date=short", "--no-color", "--no-decorate"],
  changes: ["diff", "--stat=120", "--no-color", "--no-ext-diff", "--no-textconv", "--ignore-submodules=all", "HEAD"],
  files: ["ls-files", "-z", "--cached", "--others", "--exclude-standard"],
} as const;

/** Keeps git from running any pager or signature check, too. */
const readOnlyOptions = ["--no-pager", ...safeGitOptions, "-c", "log.showSignature=false"];

const timeoutMs = 10_000;

/** Git's output for a folder; null without git, outside a repository, or if the command fails. */
export function askGit(folder: string, question: keyof typeof questions): Promise<string | null> {
  // Inside a git hook, GIT_DIR and similar variables would make git look at another repository.
  const env = readOnlyEnv(Object.fromEntries(Object.entries(process.env).filter(([name]) => !name.startsWith("GIT_"))));
  const options = { cwd: folder, env, timeout: timeoutMs, maxBuffer: 16 * 1024 * 1024 };
  return new Promise((resolve) => {
    execFile("git", [...readOnlyOptions, ...questions[question]], options, (error, stdout) => {
      resolve(error === null ? stdout : null);
    });
  });
}
