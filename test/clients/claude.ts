import * as z from "zod";
import type { Project } from "../cli/program.ts";
import type { ClaudeModel } from "./claude-model.ts";
import { type ClientEvent, type ClientProcess, startClient } from "./client-process.ts";
import { claudeEnvironment, claudeProgram } from "./programs.ts";

export interface ClaudeOptions {
  readonly project: Project;
  readonly model: ClaudeModel;
  /** Where it starts, from the root of the project. */
  readonly folder?: string;
  /** A file with `mcpServers`; no other servers are started. */
  readonly mcpConfig?: string;
  /** Everything else that asks for permission is denied: there is nobody to ask. */
  readonly allowedTools?: readonly string[];
  /** A file, or JSON. */
  readonly settings?: string;
  readonly pluginDir?: string;
  readonly resumes?: "last" | { readonly session: string };
  /** Further words of the command line. */
  readonly words?: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
  readonly version?: string;
  /** How long one prompt, or the end, may take. */
  readonly timeoutMs?: number;
}

/** What one prompt brought. */
export interface ClaudeTurn {
  readonly result: string;
  readonly failed: boolean;
  readonly session: string;
  readonly events: readonly ClientEvent[];
}

/** A session that stays open between prompts, as a person's does. */
export interface ClaudeSession {
  prompt(text: string): Promise<ClaudeTurn>;
  /** Lets it end by itself, so that what belongs to the end of a session happens. */
  close(): Promise<void>;
  /** As when the machine goes down. */
  kill(): Promise<void>;
}

/** Runs `claude -p` with one prompt, to its end. */
export async function runClaude(prompt: string, options: ClaudeOptions): Promise<ClaudeTurn> {
  const client = await start([prompt], options);
  await client.end();
  const place = client.events.findIndex(isResult);
  if (place === -1) throw client.problem("ended without a result");
  return turnOf(client.events.slice(0, place + 1));
}

/** Opens a live session; it ends with the test. */
export async function openClaude(options: ClaudeOptions): Promise<ClaudeSession> {
  const client = await start(["--input-format", "stream-json"], options);
  return {
    async prompt(text) {
      const from = client.events.length;
      client.send({ type: "user", message: { role: "user", content: text } });
      const place = await client.until(isResult, from);
      return turnOf(client.events.slice(from, place + 1));
    },
    close: () => client.end(),
    kill: () => client.kill(),
  };
}

async function start(words: readonly string[], options: ClaudeOptions): Promise<ClientProcess> {
  const { project, model, folder = ".", env = {}, timeoutMs = 60_000 } = options;
  return startClient({
    folder,
    program: await claudeProgram(options.version),
    args: ["-p", ...words, "--output-format", "stream-json", "--verbose", ...optionWords(options)],
    project,
    env: { ...apiEnvironment(model), ...env },
    timeoutMs,
  });
}

/** With these it talks to the scripted model, and to nobody else. */
export function apiEnvironment({ url }: ClaudeModel): Record<string, string> {
  // On a busy machine a server takes longer to start than it would be waited for, and the model is asked without its tools.
  const patience = { CLAUDE_CODE_MCP_STARTUP_WAIT_MS: "60000", MCP_CONNECT_TIMEOUT_MS: "60000" };
  // Of these, each version knows only some.
  return { ...claudeEnvironment(url), ...patience, MCP_CONNECTION_NONBLOCKING: "false" };
}

/** With an equals sign, because some of these would take the words that follow as further values. */
function optionWords({
  mcpConfig,
  allowedTools = [],
  settings,
  pluginDir,
  resumes,
  words = [],
}: ClaudeOptions): string[] {
  return [
    ...(mcpConfig === undefined ? [] : [`--mcp-config=${mcpConfig}`, "--strict-mcp-config"]),
    ...(allowedTools.length === 0 ? [] : [`--allowedTools=${allowedTools.join(",")}`]),
    ...(settings === undefined ? [] : [`--settings=${settings}`]),
    ...(pluginDir === undefined ? [] : [`--plugin-dir=${pluginDir}`]),
    ...resumeWords(resumes),
    ...words,
  ];
}

function resumeWords(resumes: ClaudeOptions["resumes"]): string[] {
  if (resumes === undefined) return [];
  return resumes === "last" ? ["--continue"] : [`--resume=${resumes.session}`];
}

function isResult({ type }: ClientEvent): boolean {
  return type === "result";
}

const resultEvent = z.object({
  is_error: z.boolean(),
  session_id: z.string(),
  result: z.string().default(""),
});

function turnOf(events: readonly ClientEvent[]): ClaudeTurn {
  const { result, is_error, session_id } = resultEvent.parse(events.at(-1));
  return { result, failed: is_error, session: session_id, events };
}
