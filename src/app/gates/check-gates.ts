import type { ExecutedCheck } from "../../engine/step-settings.ts";
import type { Check, Gate } from "../../model/gate.ts";
import { fillProjectRoot } from "../../model/placeholder.ts";
import type { Evidence } from "../../model/recorded.ts";
import type { StartedRun, Visit } from "../../model/run.ts";
import { isApproval } from "../../model/run-state.ts";
import { type CoveredPart, covers } from "../../model/trust/cover.ts";
import { timeouts } from "../../model/trust/covered-fields.ts";
import type { Deps } from "../../operation/operation.ts";
import { type GitFacts, gitFacts } from "../../platform/git.ts";
import { type Ended, execute } from "../../platform/processes.ts";
import { databaseVariable } from "../../project/settings.ts";
import { portableText } from "../privacy/portable-text.ts";
import { checkOutput } from "./check-output.ts";
import { describeCheck } from "./describe-check.ts";
import { findMissing } from "./find-missing.ts";

/** The run that is checked, and where. */
export interface CheckContext {
  readonly deps: Deps;
  readonly run: StartedRun;
  /** What a person has trusted. Nothing else is executed. */
  readonly cover: readonly CoveredPart[];
  /** The root of the run's worktree; null if it is gone, and then every check fails. */
  readonly projectRoot: string | null;
  /** Who works on the task, where several agents work on a loop. */
  readonly claim?: Visit["claim"];
}

/** Checks in order and stops at the first failure. Approvals are not checked here. `output` is the agent's answer. */
export async function checkGates(
  context: CheckContext,
  gates: readonly Gate[],
  output: string,
): Promise<readonly Evidence[]> {
  const { projectRoot } = context;
  const evidence: Evidence[] = [];
  const git = projectRoot === null || gates.every(isApproval) ? null : await gitFacts(projectRoot);
  for (const [gate, check] of gates.entries()) {
    if (isApproval(check)) continue;
    const result =
      projectRoot === null ? worktreeGone(context, check) : await evaluate({ ...context, projectRoot }, check, output);
    evidence.push({ gate, ...result, ...gitEvidence(git) });
    if (!result.held) break;
  }
  return evidence;
}

/** How a step's command ended. */
export interface EndedCommand {
  readonly evidence: Evidence;
  /** It was stopped, and nobody knows how far it came. */
  readonly cancelled: boolean;
  /** What it printed to standard output; null if that is longer than what was asked for. */
  readonly printed: Buffer | null;
}

/** Runs the command of a step, as a gate's, and keeps up to `printedBytes` of what it prints. */
export async function runStepCommand(
  context: CheckContext,
  check: ExecutedCheck,
  printedBytes: number,
): Promise<EndedCommand> {
  const { deps, projectRoot } = context;
  const notRun = { cancelled: false, printed: null };
  if (projectRoot === null) return { evidence: { gate: 0, ...worktreeGone(context, check) }, ...notRun };
  if ("command" in check) return { evidence: { gate: 0, ...noCommand(check) }, ...notRun };
  const git = await gitFacts(projectRoot);
  const what = portableText(deps, projectRoot, describeCheck(check));
  deps.caller.progress?.(`step: ${what}`);
  const ended = await executeCheck({ ...context, projectRoot }, check, printedBytes);
  const result = toResult(ended, (text) => portableText(deps, projectRoot, text));
  const evidence = { gate: 0, what, ...result, ...gitEvidence(git) };
  const printed = ended.type === "exited" ? ended.printed : null;
  return { evidence, cancelled: ended.type === "cancelled", printed };
}

type RunCheck = Extract<Gate, { run: unknown }>;
type CheckResult = Omit<Evidence, "gate" | "commit" | "dirty">;
type RootedContext = CheckContext & { readonly projectRoot: string };

function worktreeGone({ deps, run, claim }: CheckContext, check: Check): CheckResult {
  const which =
    claim == null
      ? `the run's worktree "${run.worktree ?? ""}"`
      : `"${claim.worktree ?? ""}", where the task was claimed,`;
  const tail = `${which} is gone; restore it with git worktree add${claim == null ? "" : ", or ask a person to release the task"}`;
  return { held: false, what: portableText(deps, deps.roots.projectRoot, describeCheck(check)), tail };
}

function noCommand(check: Extract<Check, { command: unknown }>): CheckResult {
  return { held: false, what: describeCheck(check), tail: `the variable ${check.command} has no command` };
}

async function evaluate(context: RootedContext, check: Check, output: string): Promise<CheckResult> {
  const { deps, projectRoot } = context;
  const what = portableText(deps, projectRoot, describeCheck(check));
  if ("run" in check) return { what, ...(await runCheck(context, check, what)) };
  if ("command" in check) return noCommand(check);
  if ("output" in check) {
    const lacking = checkOutput(projectRoot, check, output);
    return { held: lacking === null, what, tail: lacking ?? "" };
  }
  const problems = await findMissing(projectRoot, [check.exists].flat());
  return { held: problems.length === 0, what, tail: problems.join("\n") };
}

const tailBytes = 4_000;

async function runCheck(context: RootedContext, check: RunCheck, what: string): Promise<Omit<CheckResult, "what">> {
  const { deps, projectRoot } = context;
  deps.caller.progress?.(`gate: ${what}`);
  return toResult(await executeCheck(context, check), (text) => portableText(deps, projectRoot, text));
}

function executeCheck(
  { deps, run, projectRoot, cover }: RootedContext,
  check: RunCheck,
  printedBytes?: number,
): Promise<Ended> {
  if (!covers(cover, check.run)) {
    throw new Error(`trust does not cover a command that would be run: ${describeCheck(check)}`);
  }
  return execute({
    argv: typeof check.run === "string" ? ["/bin/sh", "-c", check.run] : check.run,
    cwd: projectRoot,
    env: { ...visibleEnv(deps), ...variablesOf(run, projectRoot) },
    timeoutMs: toMillis(check.timeout ?? timeouts.command),
    tailBytes,
    printedBytes,
    signal: deps.caller.signal,
  });
}

function visibleEnv({ caller: { env, hiddenVariables = [] } }: Deps): Deps["caller"]["env"] {
  const hidden = [...hiddenVariables, databaseVariable].filter((name) => env[name] !== undefined);
  if (hidden.length === 0) return env;
  return Object.fromEntries(Object.entries(env).filter(([name]) => !hidden.includes(name)));
}

function toResult(ended: Ended, clean: (text: string) => string): Omit<CheckResult, "what"> {
  switch (ended.type) {
    case "exited": {
      const { exitCode, durationMs } = ended;
      const held = exitCode === 0;
      return { held, exitCode, durationMs, tail: held ? clean(ended.tail) : shownTail(clean(ended.tail)) };
    }
    case "timed-out":
      return {
        held: false,
        timedOut: true,
        durationMs: ended.durationMs,
        tail: appendNote(clean(ended.tail), "timed out"),
      };
    case "cancelled":
      return { held: false, durationMs: ended.durationMs, tail: appendNote(clean(ended.tail), "cancelled") };
    case "not-started":
      return { held: false, tail: clean(ended.problem) };
  }
}

/** Whoever has to fix a failure must see that there is no output to look for. */
function shownTail(tail: string): string {
  return tail.trim() === "" ? "[it printed nothing]" : tail;
}

function appendNote(tail: string, note: string): string {
  return tail === "" ? `[${note}]` : `${tail.trimEnd()}\n[${note}]`;
}

/** Variables are passed in the environment, where they cannot inject anything into the command. */
function variablesOf(run: StartedRun, projectRoot: string): Record<string, string> {
  const entries = Object.entries(run.variables).map(([name, value]) => [
    `HOLDFAST_VAR_${name.toUpperCase()}`,
    fillProjectRoot(String(value), projectRoot),
  ]);
  return { ...Object.fromEntries(entries), HOLDFAST_RUN_ID: run.runId };
}

function gitEvidence(git: GitFacts | null): Pick<Evidence, "commit" | "dirty"> {
  if (git === null) return {};
  return git.dirty === null ? { commit: git.commit } : { commit: git.commit, dirty: git.dirty };
}

const units = { ms: 1, s: 1_000, m: 60_000, h: 3_600_000 } as const;

function toMillis(duration: string): number {
  const [, count, unit] = /^(\d+)(ms|s|m|h)$/.exec(duration) ?? [];
  return Number(count) * units[unit as keyof typeof units];
}
