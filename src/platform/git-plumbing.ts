import { spawn } from "node:child_process";
import { HoldfastError } from "../errors.ts";
import { hasCode } from "./files.ts";
import { gitEnv, safeGitOptions } from "./safe-git.ts";

/** The repository that git is called in, and its environment. */
export interface Repository {
  readonly folder: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly signal: AbortSignal | undefined;
}

/**
 * The repository that contains a folder; null if there is none. `attended` tells whether a person can answer prompts.
 */
export async function openRepository(
  { folder, env, signal }: Repository,
  { attended }: { readonly attended: boolean },
): Promise<Repository | null> {
  const plain = { folder, env: { ...gitEnv(env), LC_ALL: "C" }, signal };
  // Git waits forever for a pipe in the place of one of its files.
  const patience = AbortSignal.timeout(patienceMs);
  const first = { ...plain, signal: signal === undefined ? patience : AbortSignal.any([signal, patience]) };
  const { code, err } = await callGit(first, ["rev-parse", "--git-dir"]);
  if (code !== 0 && err.includes("not a git repository")) return null;
  if (code !== 0) throw gitFailed(["rev-parse"], err);
  if (attended) return plain;
  const ssh = await callGit(plain, ["config", "--get", "core.sshCommand"]);
  const chosen = [env.GIT_SSH_COMMAND, env.GIT_SSH].some(Boolean) || ssh.code === 0;
  return { ...plain, env: { ...plain.env, ...unattended, ...(chosen ? {} : batchMode) } };
}

/** A look at the repository itself takes milliseconds. */
const patienceMs = 10_000;

/** Without a person, git and ssh must fail instead of prompting. */
const unattended = { GIT_TERMINAL_PROMPT: "0", SSH_ASKPASS_REQUIRE: "never" };
const batchMode = { GIT_SSH_COMMAND: "ssh -o BatchMode=yes" };

export interface GitAnswer {
  readonly code: number;
  readonly out: Buffer;
  readonly err: string;
}

export interface GitInput {
  readonly input?: string | Uint8Array;
  readonly env?: Readonly<Record<string, string>>;
}

/** Runs git without a shell, hooks or fsmonitor. Resolves with any exit code. */
export function callGit(
  repository: Repository,
  args: readonly string[],
  { input = "", env = {} }: GitInput = {},
): Promise<GitAnswer> {
  const child = startGit(repository, args, env);
  const out: Buffer[] = [];
  const err: Buffer[] = [];
  child.stdout.on("data", (chunk: Buffer) => out.push(chunk));
  child.stderr.on("data", (chunk: Buffer) => err.push(chunk));
  return new Promise((resolve, reject) => {
    child.once("error", (error) => reject(failed(args, startProblem(error))));
    child.once("close", (code) => {
      resolve({ code: code ?? 128, out: Buffer.concat(out), err: Buffer.concat(err).toString() });
    });
    // If git exits before it has read all input, its exit code tells why.
    child.stdin.on("error", () => {});
    child.stdin.end(input);
  });
}

/** What git printed; throws `git-failed` unless it succeeds. */
export async function askPlumbing(repository: Repository, args: readonly string[], given?: GitInput): Promise<string> {
  const { code, out, err } = await callGit(repository, args, given);
  if (code !== 0) throw gitFailed(args, err);
  return out.toString().trim();
}

export function gitFailed(args: readonly string[], err: string): HoldfastError {
  const lines = err.split("\n").filter((line) => line.trim() !== "" && !line.startsWith("hint:"));
  return failed(args, withoutCredentials(lines.slice(-4).join("\n")) || "it printed no reason");
}

/** Removes credentials from a URL before it is shown. A password may itself contain an @. */
export function withoutCredentials(text: string): string {
  return text.replace(/(\w+:\/\/)[^/\s]*@/g, "$1");
}

export function startGit({ folder, env, signal }: Repository, args: readonly string[], more = {}) {
  return spawn("git", [...safeGitOptions, ...args], { cwd: folder, env: { ...env, ...more }, stdio: "pipe", signal });
}

function failed(args: readonly string[], problem: string): HoldfastError {
  return new HoldfastError("git-failed", { what: `git ${args[0] ?? ""}`, problem });
}

function startProblem(error: Error): string {
  if (Object(error.cause).name === "TimeoutError") return `it did not answer within ${patienceMs / 1_000} seconds`;
  if (error.name === "AbortError") return "it was stopped";
  return hasCode(error, "ENOENT") ? "git is not installed, or not on the PATH" : error.message;
}
