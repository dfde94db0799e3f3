import { join } from "node:path";
import { refuseDriven } from "../app/commands/start-checks.ts";
import { drivenVariable } from "../app/driving/turn.ts";
import { machineOf, portableValue, withoutSecrets } from "../app/privacy/portable-text.ts";
import { chooseRun } from "../app/runs/choose-run.ts";
import { ownRootOf } from "../app/runs/reply.ts";
import { readUserSettings } from "../app/workflows/user-settings.ts";
import { CoderSettings } from "../coder/settings.ts";
import { HoldfastError } from "../errors.ts";
import { requestOf, runProjectRoot } from "../journal/outputs.ts";
import type { Standing } from "../journal/run-journal.ts";
import { drivenSession } from "../model/driving/driving.ts";
import type { Notice } from "../model/driving/notice.ts";
import { isLive } from "../model/run-state.ts";
import { type Deps, no, type Outcome, yes } from "../operation/operation.ts";
import { stateFolder } from "../platform/links.ts";
import { splitWords } from "../platform/split-words.ts";
import { visitLogFolder } from "../store/visit-log.ts";
import type { Agent, AgentFacts } from "./agents/agent.ts";
import { createClaudeAgent } from "./agents/claude-agent.ts";
import { createCommandAgent } from "./agents/command-agent.ts";
import { createConversation } from "./conversation.ts";
import type { DriveOptions, Driver } from "./driver.ts";
import { isReviewQuestion } from "./person-review.ts";
import { hiddenVariables } from "./provider-keys.ts";
import { createRunActions } from "./run-actions.ts";
import { createVisitLogs } from "./visit-logs.ts";
import { waitForStore } from "./wait-for-store.ts";

/** An agent that can be used, and what is known about it. */
export interface ReadyAgent {
  readonly agent: Agent;
  readonly facts: AgentFacts;
}

/** The agent that `--agent` names, looked at before anything is started. */
export async function findAgent(deps: Deps, named: string, { most }: DriveOptions): Promise<Outcome<ReadyAgent>> {
  const unfit = (problem: string, next: string) => no({ code: "agent-unfit", agent: named, problem, next });
  const agent = await agentNamed(deps, named);
  if (agent === null)
    return unfit("there is no such agent", "use claude, command:<program> or model:<provider>/<model>");
  const facts = await agent.inspect();
  if (typeof facts === "string") return unfit(facts, "install it, or name another with --agent");
  if ("problem" in facts) return unfit(facts.problem, facts.next);
  if (most.cost !== undefined && !agent.can.reportCost) {
    return unfit("it reports no cost, so --max-cost cannot hold", "leave --max-cost out, or use --max-minutes");
  }
  return yes({ agent, facts });
}

async function agentNamed({ cwd, user, caller: { env, signal } }: Deps, named: string): Promise<Agent | null> {
  if (named === "claude") return createClaudeAgent([process.execPath, process.argv[1] ?? "", "mcp"], cwd, env);
  if (named.startsWith("model:")) {
    const { createModelAgent } = await import("../coder/model-agent.ts");
    const { settings, passed } = await readCoderSettings(user);
    return createModelAgent(named.slice("model:".length), settings, passed, { cwd, env, signal });
  }
  const words = named.startsWith("command:") ? splitWords(named.slice("command:".length)) : null;
  return words === null ? null : createCommandAgent(words, cwd, env.PATH ?? "");
}

async function readCoderSettings(
  user: Deps["user"],
): Promise<{ readonly settings: CoderSettings; readonly passed: readonly string[] }> {
  const { coder = {}, pass_env: passed = [] } = (await readUserSettings(user)) ?? {};
  const parsed = CoderSettings.safeParse(coder);
  if (parsed.success) return { settings: parsed.data, passed };
  const [issue] = parsed.error.issues;
  const problem = `coder: ${[issue?.path.join("."), issue?.message].filter(Boolean).join(": ")}`;
  const file = join(user.configFolder, "config.yaml");
  throw new HoldfastError("state-broken", { file, problem, fix: "correct the file, then try again" });
}

/** The live run that `--resume` names. */
export async function findResumable(deps: Deps, named: string): Promise<Outcome<Standing>> {
  const driven = refuseDriven(deps);
  if (driven !== null) return driven;
  const chosen = await chooseRun(deps, named);
  if (!chosen.ok || isLive(chosen.value.run)) return chosen;
  return no({ code: "run-ended", status: chosen.value.run.status, outputIgnored: false });
}

/** Puts together what driving a run takes. */
export async function createDriver(
  deps: Deps,
  standing: Standing,
  { agent, facts }: ReadyAgent,
  options: DriveOptions,
  watch: { readonly signal: AbortSignal; report(notice: Notice): void },
): Promise<Driver> {
  const { runId } = standing.run;
  const { env } = deps.caller;
  const session = drivenSession(runId);
  const cwd = ownRootOf(deps, standing) ?? deps.roots.projectRoot;
  const { ends } = agent.can;
  const words = ends === "mcp" ? undefined : ends;
  const { settings, passed } = await readCoderSettings(deps.user);
  const keys = Object.values(settings.providers ?? {}).flatMap(({ key = [] }) => key);
  const hidden = { hiddenVariables: hiddenVariables(passed, keys) };
  const report = (notice: Notice) => watch.report(withoutSecrets(env, notice));
  const progress = (what: string) => report({ type: "check", what });
  const knows = (text: string) => isReviewQuestion(text) || conversation.knows(text);
  const caller = { ...deps.caller, face: "mcp" as const, session, words, knows, progress, ...hidden };
  const patience = { ms: 0 };
  const own = waitForStore(
    { ...deps, caller: { ...caller, signal: watch.signal } },
    { patience, signal: watch.signal, say: (text) => report({ type: "note", text }) },
  );
  const machine = machineOf(deps);
  const folder = join(deps.roots.stateRoot, stateFolder, "runs", runId);
  const conversation = createConversation(agent, {
    ...{ cwd, runId, folder, permissions: options.permissions },
    run: createRunActions(own, runId, runProjectRoot(deps.roots, standing.run)),
    env: { ...env, [drivenVariable]: runId, HOLDFAST_SESSION: session },
  });
  return {
    deps: own,
    runId,
    // A request that is no longer than the summary is not stored twice.
    request: (await requestOf(deps, runId)) ?? standing.run.summary ?? undefined,
    agent,
    facts,
    options,
    patience,
    conversation,
    logs: createVisitLogs(join(folder, visitLogFolder), (entry) => portableValue(machine, cwd, entry), deps.now),
    denials: new Map(),
    began: Date.now(),
    spent: { turns: 0, tokens: null, cost: 0 },
    signal: watch.signal,
    report,
  };
}
