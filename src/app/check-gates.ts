import { statSync } from "node:fs";
import { realpath } from "node:fs/promises";
import { join, sep } from "node:path";
import { type Evidence, type Gate, isApproval } from "../model/gate.ts";
import type { StartedRun } from "../model/run.ts";
import { hasCode } from "../platform/files.ts";
import { type GitFacts, gitFacts } from "../platform/git.ts";
import { type Ended, execute } from "../platform/processes.ts";
import type { Deps } from "./operation.ts";
import { portableText } from "./portable-text.ts";
import { commandText } from "./trust.ts";

/** Where and for whom checks are made. */
export interface CheckScene {
  readonly deps: Deps;
  readonly run: StartedRun;
  readonly projectRoot: string;
}

/** Looks at each check in turn and stops at the first that does not hold. A person's approval is not looked at here. */
export async function checkGates(scene: CheckScene, gates: readonly Gate[]): Promise<readonly Evidence[]> {
  const evidence: Evidence[] = [];
  const git = gates.every(isApproval) ? null : await gitFacts(scene.projectRoot);
  for (const [gate, check] of gates.entries()) {
    if (isApproval(check)) continue;
    const seen = "run" in check ? await runCheck(scene, check) : await existsCheck(scene, check);
    evidence.push({ gate, ...seen, ...gitPart(git) });
    if (!seen.held) break;
  }
  return evidence;
}

type Seen = Omit<Evidence, "gate" | "commit" | "dirty">;

const tailBytes = 4_000;
const timeoutByDefault = "10m";

async function runCheck({ deps, run, projectRoot }: CheckScene, check: Extract<Gate, { run: unknown }>): Promise<Seen> {
  const what = portableText(deps, projectRoot, commandText(check.run));
  deps.caller.progress?.(`gate: ${what}`);
  const ended = await execute({
    argv: typeof check.run === "string" ? ["/bin/sh", "-c", check.run] : check.run,
    cwd: projectRoot,
    env: { ...deps.caller.env, ...variablesOf(run) },
    timeoutMs: toMillis(check.timeout ?? timeoutByDefault),
    tailBytes,
    signal: deps.caller.signal,
  });
  return { what, ...seenOf(ended, (text) => portableText(deps, projectRoot, text)) };
}

function seenOf(ended: Ended, clean: (text: string) => string): Omit<Seen, "what"> {
  switch (ended.type) {
    case "exited": {
      const { exitCode, durationMs } = ended;
      return { held: exitCode === 0, exitCode, durationMs, tail: clean(ended.tail) };
    }
    case "timed-out":
      return { held: false, timedOut: true, durationMs: ended.durationMs, tail: clean(`${ended.tail}\n[timed out]`) };
    case "cancelled":
      return { held: false, durationMs: ended.durationMs, tail: clean(`${ended.tail}\n[cancelled]`) };
    case "not-started":
      return { held: false, tail: clean(ended.problem) };
  }
}

/** Values go to a command through its environment, where they cannot become part of it. */
function variablesOf(run: StartedRun): Record<string, string> {
  const entries = Object.entries(run.variables).map(([name, value]) => [
    `HOLDFAST_VAR_${name.toUpperCase()}`,
    String(value),
  ]);
  return { ...Object.fromEntries(entries), HOLDFAST_RUN_ID: run.runId };
}

async function existsCheck({ projectRoot }: CheckScene, check: Extract<Gate, { exists: unknown }>): Promise<Seen> {
  const patterns = [check.exists].flat();
  const problems: string[] = [];
  for (const pattern of patterns) {
    const problem = await missing(projectRoot, pattern);
    if (problem !== null) problems.push(`${pattern}: ${problem}`);
  }
  return { held: problems.length === 0, what: `exists ${patterns.join(", ")}`, tail: problems.join("\n") };
}

async function missing(projectRoot: string, pattern: string): Promise<string | null> {
  if (!/[*?[\]{}!()]/.test(pattern)) return fileProblem(projectRoot, pattern);
  const { glob } = await import("tinyglobby");
  const files = await glob(pattern, {
    cwd: projectRoot,
    dot: true,
    followSymbolicLinks: false,
    expandDirectories: false,
  });
  for (const file of files) if ((await fileProblem(projectRoot, file)) === null) return null;
  return files.length === 0 ? "nothing matches" : "only empty files match";
}

async function fileProblem(projectRoot: string, path: string): Promise<string | null> {
  try {
    const root = await realpath(projectRoot);
    const file = await realpath(join(root, path));
    if (!file.startsWith(root + sep)) return "it leads out of the project";
    const found = statSync(file);
    if (found.isDirectory()) return "it is a folder, not a file";
    if (!found.isFile()) return "it is no regular file";
    return found.size === 0 ? "it is empty" : null;
  } catch (error) {
    if (hasCode(error, "ENOENT", "ENOTDIR", "ELOOP", "EACCES", "ENAMETOOLONG")) return "there is no such file";
    throw error;
  }
}

function gitPart(git: GitFacts | null): Pick<Evidence, "commit" | "dirty"> {
  return git === null ? {} : { commit: git.commit, dirty: git.dirty };
}

const units = { ms: 1, s: 1_000, m: 60_000, h: 3_600_000 } as const;

function toMillis(duration: string): number {
  const [, count, unit] = /^(\d+)(ms|s|m|h)$/.exec(duration) ?? [];
  return Number(count) * units[unit as keyof typeof units];
}
