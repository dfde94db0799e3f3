import { execFile } from "node:child_process";
import { dirname, join } from "node:path";
import { isRecord, ownEntry, parseJson } from "../../model/json.ts";
import type { Hints } from "../../model/visit-rules.ts";
import { readTextIfExists } from "../../platform/files.ts";
import { findProgram } from "../../platform/find-program.ts";
import { sizeLimits } from "../../platform/size-limits.ts";
import {
  type Agent,
  type AgentFacts,
  type AgentSession,
  narrower,
  type Permissions,
  type SessionOptions,
  type Turn,
} from "./agent.ts";
import { createMeter, createTurnReader } from "./claude-frames.ts";
import { type ClaudeProcess, type Ended, hasEnded, startClaude } from "./claude-process.ts";

type Env = Readonly<Record<string, string | undefined>>;

/** Claude Code as the person has installed it. `server` is how our MCP server is started. */
export function createClaudeAgent(server: readonly string[], cwd: string, env: Env): Agent {
  return {
    name: "claude",
    can: { converse: true, compact: true, resume: false, stream: true, reportCost: true, ends: "mcp", obey: true },
    inspect: () => inspect(cwd, env),
    open: (options) => createSession(server, options),
  };
}

async function inspect(cwd: string, env: Env): Promise<AgentFacts | string> {
  const program = findProgram("claude", cwd, env.PATH ?? "");
  if (program === null) return "there is no program claude in PATH";
  // Not in the project: nobody has agreed to anything there yet.
  const place = { cwd: env.HOME ?? "/", env: { ...env, HOLDFAST_AGENT: "1" } };
  const ask = (...words: string[]) => printedBy(program, words, place);
  const [printed, account] = await Promise.all([ask("--version"), ask("auth", "status", "--json")]);
  const [version] = /\d+(\.\d+)+\S*/.exec(printed) ?? [];
  const note = isTrusted(cwd, env) ? undefined : untrusted;
  return { version, pays: payerIn(parseJson(account)), ...(note !== undefined && { note }) };
}

const inspectMs = 20_000;

/** Also of a program that fails: nobody is logged in, for example. */
function printedBy(program: string, words: readonly string[], place: { cwd: string; env: Env }): Promise<string> {
  return new Promise((resolve) => {
    execFile(program, words, { ...place, timeout: inspectMs }, (_error, stdout) => resolve(stdout));
  });
}

const untrusted =
  "only your own: you have not trusted this folder in Claude Code, so its hooks, permissions and CLAUDE.md are left out; start claude here once to trust it";

/** Whether the person has trusted the folder, or one above it, in Claude Code: unattended it would ask nobody. */
function isTrusted(cwd: string, { HOME = "", CLAUDE_CONFIG_DIR = HOME }: Env): boolean {
  const file = join(CLAUDE_CONFIG_DIR, ".claude.json");
  const settings = parseJson(readTextIfExists(file, sizeLimits.hostFile) ?? "");
  const projects = isRecord(settings) && isRecord(settings.projects) ? settings.projects : {};
  return foldersAbove(cwd).some((folder) => {
    const project = ownEntry(projects, folder);
    return isRecord(project) && project.hasTrustDialogAccepted === true;
  });
}

function foldersAbove(folder: string): string[] {
  const above = dirname(folder);
  return above === folder ? [folder] : [folder, ...foldersAbove(above)];
}

function payerIn(account: unknown): string | undefined {
  if (!isRecord(account) || typeof account.loggedIn !== "boolean") return undefined;
  const { loggedIn, apiProvider, apiKeySource } = account;
  if (!loggedIn) return "nobody: claude is not logged in";
  if (typeof apiProvider === "string" && apiProvider !== "firstParty") return `the account for ${apiProvider}`;
  return typeof apiKeySource === "string" ? `an API key (${apiKeySource})` : "a subscription";
}

/** One conversation, in one process after the other: what a visit asks for may be settled only when Claude Code starts. */
function createSession(server: readonly string[], options: SessionOptions): AgentSession {
  const { cwd, env, onEvent } = options;
  const meter = createMeter();
  let process: ClaudeProcess | null = null;
  let words = "";
  let conversation: string | null = null;

  const launch = async (hints: Hints): Promise<string | null> => {
    const wanted = [...wordsFor(server, options, hints), ...(isTrusted(cwd, env) ? [] : ["--setting-sources=user"])];
    if (process?.isAlive && words === wanted.join("\0")) return null;
    await process?.close();
    const resumed = conversation === null ? [] : [`--resume=${conversation}`];
    const started = startClaude({ argv: ["claude", ...wanted, ...resumed], cwd, env });
    meter.restart();
    process = typeof started === "string" ? null : started;
    words = wanted.join("\0");
    return typeof started === "string" ? started : null;
  };
  const ask = async (text: string, isTurn = false) => {
    const reader = createTurnReader();
    const answer = await process?.ask(text, (frame) => {
      for (const event of reader.read(frame)) {
        // Nobody listens between turns; what is used there is told with the next one.
        const isUsage = event.type === "usage";
        if (isUsage && isTurn) meter.told(event.tokens ?? 0);
        if (!isUsage || isTurn) onEvent(event);
      }
    });
    if (answer === undefined || hasEnded(answer)) return { reader, answer: null, turn: lostTurn(answer) };
    meter.count(answer);
    const before = conversation;
    conversation = typeof answer.session_id === "string" ? answer.session_id : null;
    return { reader, answer, turn: reader.end(answer), isOther: before !== conversation };
  };
  return {
    async prompt({ text }, hints) {
      const problem = await launch(hints);
      if (problem !== null) return { type: "failed", failure: { kind: "not-started", reason: problem } };
      const { turn } = await ask(asTask(text), true);
      for (const event of meter.take()) onEvent(event);
      return turn;
    },
    async compact(keep) {
      const { reader } = await ask(`/compact ${keep.replace(/\s+/g, " ")}`);
      // Told now: there may be no next turn.
      for (const event of meter.take()) onEvent(event);
      return reader.hasCompacted;
    },
    // Newer versions also announce it; a conversation with another id is the proof in all of them.
    async clear() {
      const { answer, isOther } = await ask("/clear");
      const isProved = answer !== null && isOther === true;
      if (isProved) onEvent({ type: "cleared" });
      return isProved;
    },
    interrupt: () => process?.interrupt(),
    async close() {
      await process?.close();
    },
  };
}

/** A first character that is a slash would make it a command of Claude Code. */
function asTask(text: string): string {
  return text.startsWith("/") ? `Do this:\n${text}` : text;
}

function lostTurn(end: Ended | undefined): Turn {
  const reason = end?.ended ?? "claude is not running";
  return { type: "failed", failure: { kind: end?.isUnfit === true ? "not-started" : "lost", reason } };
}

/** How it is started. Equals signs, because some of these options would take the words that follow as further values. */
function wordsFor(server: readonly string[], { env, permissions }: SessionOptions, hints: Hints): string[] {
  const { model, effort, tools } = hints;
  return [
    ...["-p", "--input-format=stream-json", "--output-format=stream-json", "--verbose"],
    ...["--strict-mcp-config", `--mcp-config=${serverSettings(server, env)}`, "--allowedTools=mcp__holdfast__*"],
    ...permissionWords[narrower(permissions, hints.permissions)],
    ...(model === undefined ? [] : [`--model=${model}`]),
    ...(effort === undefined ? [] : [`--effort=${effort}`]),
    ...(tools === undefined ? [] : [`--tools=${builtIn(tools).join(",")}`]),
  ];
}

const permissionWords: Readonly<Record<Permissions, readonly string[]>> = {
  // Whatever the person's settings do not allow is denied. Edits and the shell are denied even if they do: a rule for one
  // command would let it write.
  read: ["--permission-mode=dontAsk", "--disallowedTools=Edit,Write,NotebookEdit,Bash"],
  edit: ["--permission-mode=acceptEdits"],
  full: ["--permission-mode=bypassPermissions"],
};

/** The names alone: which calls of a tool are allowed is up to the person's settings. */
function builtIn(tools: readonly string[]): string[] {
  return tools.filter((tool) => !tool.startsWith("mcp__")).map((tool) => tool.replace(/\(.*$/s, ""));
}

/** Our server, and no other one: it must know that a runner drives the agent. */
function serverSettings([command = "", ...args]: readonly string[], env: Env): string {
  const own = Object.entries(env).filter(([name]) => name.startsWith("HOLDFAST_"));
  // Newer versions would let the model search for our tools first; these few are cheaper than the search.
  const holdfast = { command, args, env: { ...Object.fromEntries(own), HOLDFAST_AGENT: "1" }, alwaysLoad: true };
  return JSON.stringify({ mcpServers: { holdfast } });
}
