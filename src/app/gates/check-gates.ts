import type { Evidence, Gate } from "../../model/gate.ts";
import { fillProjectRoot } from "../../model/placeholder.ts";
import type { StartedRun } from "../../model/run.ts";
import { isApproval } from "../../model/run-state.ts";
import type { Deps } from "../../operation/operation.ts";
import { type GitFacts, gitFacts } from "../../platform/git.ts";
import { type Ended, execute } from "../../platform/processes.ts";
import { portableText } from "../privacy/portable-text.ts";
import { commandText } from "../workflows/trust.ts";
import { findMissing } from "./find-missing.ts";

/** Where and for whom checks are made. */
export interface CheckContext {
  readonly deps: Deps;
  readonly run: StartedRun;
  /** The top of the run's own worktree; null when that is gone, and then no check holds. */
  readonly projectRoot: string | null;
}

/** Looks at each check in turn and stops at the first that does not hold. A person's approval is not looked at here. */
export async function checkGates(context: CheckContext, gates: readonly Gate[]): Promise<readonly Evidence[]> {
  const { projectRoot } = context;
  const evidence: Evidence[] = [];
  const git = projectRoot === null || gates.every(isApproval) ? null : await gitFacts(projectRoot);
  for (const [gate, check] of gates.entries()) {
    if (isApproval(check)) continue;
    const seen = projectRoot === null ? worktreeGone(context, check) : await see({ ...context, projectRoot }, check);
    evidence.push({ gate, ...seen, ...gitPart(git) });
    if (!seen.held) break;
  }
  return evidence;
}

type Seen = Omit<Evidence, "gate" | "commit" | "dirty">;
type MachineCheck = Exclude<Gate, { approval: unknown }>;
type Ground = CheckContext & { readonly projectRoot: string };

function worktreeGone({ deps, run }: CheckContext, check: MachineCheck): Seen {
  const tail = `the run's worktree "${run.worktree ?? ""}" is gone; bring it back with git worktree add`;
  return { held: false, what: portableText(deps, deps.roots.projectRoot, describeCheck(check)), tail };
}

async function see(ground: Ground, check: MachineCheck): Promise<Seen> {
  const { deps, projectRoot } = ground;
  const what = portableText(deps, projectRoot, describeCheck(check));
  if ("run" in check) return { what, ...(await runCheck(ground, check, what)) };
  const problems = await findMissing(projectRoot, [check.exists].flat());
  return { held: problems.length === 0, what, tail: problems.join("\n") };
}

export function describeCheck(check: MachineCheck): string {
  return "run" in check ? commandText(check.run) : `exists ${[check.exists].flat().join(", ")}`;
}

const tailBytes = 4_000;
const defaultTimeout = "10m";

async function runCheck(
  { deps, run, projectRoot }: Ground,
  check: Extract<Gate, { run: unknown }>,
  what: string,
): Promise<Omit<Seen, "what">> {
  deps.caller.progress?.(`gate: ${what}`);
  const ended = await execute({
    argv: typeof check.run === "string" ? ["/bin/sh", "-c", check.run] : check.run,
    cwd: projectRoot,
    env: { ...deps.caller.env, ...variablesOf(run, projectRoot) },
    timeoutMs: toMillis(check.timeout ?? defaultTimeout),
    tailBytes,
    signal: deps.caller.signal,
  });
  return seenOf(ended, (text) => portableText(deps, projectRoot, text));
}

function seenOf(ended: Ended, clean: (text: string) => string): Omit<Seen, "what"> {
  switch (ended.type) {
    case "exited": {
      const { exitCode, durationMs } = ended;
      return { held: exitCode === 0, exitCode, durationMs, tail: clean(ended.tail) };
    }
    case "timed-out":
      return { held: false, timedOut: true, durationMs: ended.durationMs, tail: noted(clean(ended.tail), "timed out") };
    case "cancelled":
      return { held: false, durationMs: ended.durationMs, tail: noted(clean(ended.tail), "cancelled") };
    case "not-started":
      return { held: false, tail: clean(ended.problem) };
  }
}

function noted(tail: string, note: string): string {
  return tail === "" ? `[${note}]` : `${tail.trimEnd()}\n[${note}]`;
}

/** Values go to a command through its environment, where they cannot become part of it. */
function variablesOf(run: StartedRun, projectRoot: string): Record<string, string> {
  const entries = Object.entries(run.variables).map(([name, value]) => [
    `HOLDFAST_VAR_${name.toUpperCase()}`,
    fillProjectRoot(String(value), projectRoot),
  ]);
  return { ...Object.fromEntries(entries), HOLDFAST_RUN_ID: run.runId };
}

function gitPart(git: GitFacts | null): Pick<Evidence, "commit" | "dirty"> {
  if (git === null) return {};
  return git.dirty === null ? { commit: git.commit } : { commit: git.commit, dirty: git.dirty };
}

const units = { ms: 1, s: 1_000, m: 60_000, h: 3_600_000 } as const;

function toMillis(duration: string): number {
  const [, count, unit] = /^(\d+)(ms|s|m|h)$/.exec(duration) ?? [];
  return Number(count) * units[unit as keyof typeof units];
}
