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
  const status = ["status", "--porcelain", "--untracked-files=normal", "--ignore-submodules=dirty"];
  const filters = await withoutFilters(folder);
  const changes = filters === null ? null : await git(folder, status, filters);
  return { commit: commit.trim(), dirty: changes === null ? null : changes.trim() !== "" };
}

const mostFiles = 200;
const mostUntracked = 50;

/**
 * What has changed in a worktree since a commit, as `git diff --stat` prints it, and the untracked files. Since the last commit
 * if git does not know that one. Null without git, without a commit, or if git takes too long.
 */
export async function diffStat(folder: string, since: string | null): Promise<string | null> {
  const filters = await withoutFilters(folder);
  if (filters === null) return null;
  const against = (commit: string) => {
    const options = ["--no-ext-diff", "--no-textconv", "--ignore-submodules=all", "--no-color"];
    return git(folder, ["diff", ...options, `--stat=100,80,${mostFiles}`, commit, "--"], filters);
  };
  const isCommit = since !== null && /^[0-9a-f]{40,64}$/.test(since);
  const stat = (isCommit ? await against(since) : null) ?? (await against("HEAD"));
  if (stat === null) return null;
  const others = await git(folder, ["ls-files", "-z", "--others", "--exclude-standard", "--directory"], filters);
  return [stat.trimEnd(), untrackedText(others ?? "")].filter(Boolean).join("\n");
}

function untrackedText(listed: string): string {
  const names = listed.split("\0").filter(Boolean);
  const shown = names.slice(0, mostUntracked).map((name) => ` ${name} (untracked)`);
  const rest = names.length - shown.length;
  return [...shown, ...(rest > 0 ? [` and ${rest} more untracked`] : [])].join("\n");
}

type Env = Readonly<Record<string, string>>;

/**
 * To compare a file, git runs the filters that the configuration names for it; these variables turn each of them off. Null if
 * git cannot list them.
 */
async function withoutFilters(folder: string): Promise<Env | null> {
  const pattern = "^filter\\..*\\.(clean|smudge|process|required)$";
  const found = await git(folder, ["config", "-z", "--name-only", "--get-regexp", pattern], {}, [1]);
  if (found === null) return null;
  const names = [...new Set(found.split("\0").filter(Boolean))];
  // Unlike `-c`, variables take any name.
  const pairs = names.flatMap((name, at) => [
    [`GIT_CONFIG_KEY_${at}`, name],
    [`GIT_CONFIG_VALUE_${at}`, /\.required$/i.test(name) ? "false" : ""],
  ]);
  return { ...Object.fromEntries(pairs), GIT_CONFIG_COUNT: String(names.length) };
}

/** Null if git fails; a code of `empty` says that there is nothing to print. */
function git(
  folder: string,
  args: readonly string[],
  more: Env = {},
  empty: readonly unknown[] = [],
): Promise<string | null> {
  const env = { ...readOnlyEnv(process.env), ...more };
  const limits = { timeout: 10_000, maxBuffer: 16 * 1024 * 1024, killSignal: "SIGKILL" } as const;
  return new Promise((resolve) => {
    execFile("git", [...safeGitOptions, ...args], { cwd: folder, env, ...limits }, (error, stdout) =>
      resolve(error === null || empty.includes(error.code) ? stdout : null),
    );
  });
}
