import { execFile } from "node:child_process";
import { readOnlyEnv, safeGitOptions } from "./safe-git.ts";

/** In milliseconds, for each of the calls. */
const longestCall = 5_000;
const mostBytes = 1024 * 1024;
const mostFiles = 200;
const mostUntracked = 50;

/**
 * What has changed in a worktree since its last commit, as `git diff --stat` prints it, and the untracked files. Null without
 * git, without a commit, or if git takes too long. Runs no program that the repository configures.
 */
export async function diffStat(folder: string): Promise<string | null> {
  const env = { ...readOnlyEnv(process.env), ...(await withoutFilters(folder)) };
  const stat = await git(folder, env, [
    ...["diff", "--no-ext-diff", "--no-textconv", "--ignore-submodules=all", "--no-color"],
    ...[`--stat=100,80,${mostFiles}`, "HEAD", "--"],
  ]);
  if (stat === null) return null;
  const others = await git(folder, env, ["ls-files", "-z", "--others", "--exclude-standard", "--directory"]);
  return [stat.trimEnd(), untrackedText(others ?? "")].filter(Boolean).join("\n");
}

function untrackedText(listed: string): string {
  const names = listed.split("\0").filter(Boolean);
  const shown = names.slice(0, mostUntracked).map((name) => ` ${name} (untracked)`);
  const rest = names.length - shown.length;
  return [...shown, ...(rest > 0 ? [` and ${rest} more untracked`] : [])].join("\n");
}

/** To compare a file, git runs the filters that the configuration names for it; this turns each of them off. */
async function withoutFilters(folder: string): Promise<Record<string, string>> {
  const pattern = "^filter\\..*\\.(clean|smudge|process|required)$";
  const found = await git(folder, readOnlyEnv(process.env), ["config", "-z", "--name-only", "--get-regexp", pattern]);
  const names = [...new Set((found ?? "").split("\0").filter(Boolean))];
  // Unlike `-c`, variables take any name.
  const pairs = names.flatMap((name, at) => [
    [`GIT_CONFIG_KEY_${at}`, name],
    [`GIT_CONFIG_VALUE_${at}`, /\.required$/i.test(name) ? "false" : ""],
  ]);
  return { ...Object.fromEntries(pairs), GIT_CONFIG_COUNT: String(names.length) };
}

function git(folder: string, env: Record<string, string | undefined>, args: readonly string[]) {
  const options = { cwd: folder, env, timeout: longestCall, maxBuffer: mostBytes, killSignal: "SIGKILL" } as const;
  return new Promise<string | null>((resolve) => {
    execFile("git", [...safeGitOptions, ...args], options, (error, stdout) => resolve(error === null ? stdout : null));
  });
}
