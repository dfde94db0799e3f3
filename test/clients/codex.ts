import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import * as z from "zod";
import type { Project } from "../cli/program.ts";
import { type ClientEvent, startClient } from "./client-process.ts";
import type { CodexModel } from "./codex-model.ts";
import { codexProgram } from "./programs.ts";

export interface CodexOptions {
  readonly project: Project;
  readonly model: CodexModel;
  /** Where it starts, from the root of the project. */
  readonly folder?: string;
  readonly mcpServers?: Readonly<Record<string, CodexServer>>;
  /** Hooks and settings of the project are read only where it is trusted. */
  readonly trust?: "trusted" | "untrusted";
  /** Further words of the command line. */
  readonly words?: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
  readonly timeoutMs?: number;
}

export interface CodexServer {
  readonly command: string;
  readonly args: readonly string[];
  /** Codex hands its servers next to nothing of its own environment. */
  readonly env?: Readonly<Record<string, string>>;
}

/** What one prompt brought. */
export interface CodexTurn {
  /** The last message of the agent, or why the turn failed. */
  readonly message: string;
  readonly failed: boolean;
  readonly events: readonly ClientEvent[];
}

/** Runs `codex exec` with one prompt, to its end. Its home is `.codex` in the project's home. */
export async function runCodex(prompt: string, options: CodexOptions): Promise<CodexTurn> {
  const { project, folder = ".", words = [], env = {}, timeoutMs = 60_000 } = options;
  const home = join(project.home, ".codex");
  mkdirSync(home, { recursive: true });
  writeFileSync(join(home, "config.toml"), configOf(options));
  const client = startClient({
    folder,
    program: await codexProgram(),
    args: ["exec", "--json", "--skip-git-repo-check", ...words, prompt],
    project,
    env: { CODEX_HOME: home, [keyName]: "dummy", ...env },
    timeoutMs,
  });
  await client.end();
  const turn = turnOf(client.events);
  if (turn === null) throw client.problem("ended without the end of a turn");
  return turn;
}

const keyName = "SCRIPTED_MODEL_KEY";

/**
 * No sandbox and no questions: what a script calls is executed. The model's name is unknown to Codex on purpose:
 * models it knows see tools of MCP servers only after a search. Plugins would be fetched over the network. Of servers that take
 * longer than a second to start, Codex would not offer the tools in the first turn, and each prompt here is one.
 */
function configOf({ project, model, mcpServers = {}, trust = "trusted" }: CodexOptions): string {
  const lines = [
    'model = "scripted"',
    'model_provider = "scripted"',
    'approval_policy = "never"',
    'sandbox_mode = "danger-full-access"',
    "check_for_update_on_startup = false",
    "analytics = { enabled = false }",
    "features = { plugins = false, apps = false }",
    "mcp_optional_startup_grace_ms = 0",
    "[model_providers.scripted]",
    'name = "scripted"',
    `base_url = ${toml(model.url)}`,
    'wire_api = "responses"',
    `env_key = ${toml(keyName)}`,
    `[projects.${toml(project.root)}]`,
    `trust_level = ${toml(trust)}`,
    ...Object.entries(mcpServers).flatMap(serverLines),
  ];
  return `${lines.join("\n")}\n`;
}

function serverLines([name, { command, args, env = {} }]: [string, CodexServer]): string[] {
  return [
    `[mcp_servers.${toml(name)}]`,
    `command = ${toml(command)}`,
    `args = ${toml(args)}`,
    `[mcp_servers.${toml(name)}.env]`,
    ...Object.entries(env).map(([key, value]) => `${toml(key)} = ${toml(value)}`),
  ];
}

/** Strings, and lists of them, are written the same in JSON and in TOML. */
function toml(value: string | readonly string[]): string {
  return JSON.stringify(value);
}

const agentMessage = z.object({
  type: z.literal("item.completed"),
  item: z.object({ type: z.literal("agent_message"), text: z.string() }),
});
const turnFailed = z.object({ type: z.literal("turn.failed"), error: z.object({ message: z.string() }) });

function turnOf(events: readonly ClientEvent[]): CodexTurn | null {
  const failure = events.map((event) => turnFailed.safeParse(event)).find(({ success }) => success)?.data;
  if (failure !== undefined) return { message: failure.error.message, failed: true, events };
  if (!events.some(({ type }) => type === "turn.completed")) return null;
  const last = events.map((event) => agentMessage.safeParse(event)).findLast(({ success }) => success)?.data;
  return { message: last?.item.text ?? "", failed: false, events };
}
