import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { onTestFinished } from "vitest";
import * as z from "zod";
import type { Project } from "../cli/program.ts";
import type { ChatModel } from "./chat-model.ts";
import { type ClientEvent, type ClientProcess, startClient } from "./client-process.ts";
import { endProcesses } from "./end-processes.ts";
import { copilotEnvironment, copilotProgram } from "./programs.ts";
import { openTerminal, type Terminal } from "./terminal.ts";

export interface CopilotOptions {
  readonly project: Project;
  readonly model: ChatModel;
  /** Where it starts, from the root of the project. */
  readonly folder?: string;
  /** Hooks, servers and settings of the project are read only where it is trusted. */
  readonly trust?: "trusted" | "untrusted";
  readonly resumes?: "last" | { readonly session: string };
  /** Further words of the command line. */
  readonly words?: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
  /** How long one prompt, or the end, may take. */
  readonly timeoutMs?: number;
}

/** What one prompt brought. */
export interface CopilotTurn {
  readonly text: string;
  readonly session: string;
  readonly events: readonly ClientEvent[];
}

/** A session that stays open between prompts, as a person's does. */
export interface CopilotSession {
  readonly id: string;
  prompt(text: string): Promise<CopilotTurn>;
  /** Lets it end by itself, so that what belongs to the end of a session happens. */
  close(): Promise<void>;
  /** As when the machine goes down. */
  kill(): Promise<void>;
}

export interface CopilotTerminal extends Terminal {
  /** Types a prompt, or a command such as `/clear`, and sends it. */
  say(text: string): Promise<void>;
}

/** Runs `copilot -p` with one prompt, to its end. */
export async function runCopilot(prompt: string, options: CopilotOptions): Promise<CopilotTurn> {
  const client = await start(["-p", prompt, "--output-format=json", ...resumeWords(options.resumes)], options);
  await client.end();
  const { events } = client;
  const result = events.find(({ type }) => type === "result");
  if (result === undefined) throw client.problem("ended without a result");
  const messages = events.map((event) => assistantMessage.safeParse(event).data?.data.content ?? "");
  return { text: messages.join(""), session: resultEvent.parse(result).sessionId, events };
}

/** Opens a live session over the Agent Client Protocol; it ends with the test. `/compact` works as a prompt. */
export async function openCopilot(options: CopilotOptions): Promise<CopilotSession> {
  const client = await start(["--acp"], options);
  const call = callsOf(client);
  await call("initialize", { protocolVersion: 1, clientCapabilities: {} });
  const place = { cwd: join(options.project.root, options.folder ?? "."), mcpServers: [] };
  const id = await sessionOf(call, options.resumes, place);
  return {
    id,
    async prompt(text) {
      const from = client.events.length;
      await call("session/prompt", { sessionId: id, prompt: [{ type: "text", text }] });
      const events = client.events.slice(from);
      const chunks = events.map((event) => messageChunk.safeParse(event).data?.params.update.content.text ?? "");
      return { text: chunks.join(""), session: id, events };
    },
    close: () => client.end(),
    kill: () => client.kill(),
  };
}

/** Opens it as a person has it before them, and waits for its prompt; it ends with the test. */
export async function openCopilotTerminal(options: CopilotOptions): Promise<CopilotTerminal> {
  const { program, args, env } = await prepare([], options);
  const { project } = options;
  onTestFinished(() => endProcesses(project.home));
  const terminal = await openTerminal({
    columns: 100,
    rows: 40,
    cwd: project.root,
    env: { ...project.env, ...env },
    command: [program, ...args],
  });
  await terminal.waitFor(/^❯/m);
  return {
    ...terminal,
    async say(text) {
      await terminal.type(text);
      await terminal.waitFor(new RegExp(`^❯ ${text}`, "m"));
      await terminal.press("Enter");
    },
  };
}

async function start(words: readonly string[], options: CopilotOptions): Promise<ClientProcess> {
  const { project, folder, timeoutMs = 60_000 } = options;
  return startClient({ ...(await prepare(words, options)), project, folder, timeoutMs });
}

/** No questions: what a script calls is executed. */
async function prepare(words: readonly string[], options: CopilotOptions) {
  const { project, model, trust = "trusted", env = {} } = options;
  const home = join(project.home, ".copilot");
  mkdirSync(home, { recursive: true });
  const trustedFolders = trust === "trusted" ? [project.root] : [];
  writeFileSync(join(home, "config.json"), JSON.stringify({ trustedFolders }));
  const program = await copilotProgram();
  return {
    program,
    args: [...words, "--allow-all-tools", ...(options.words ?? [])],
    env: { ...copilotEnvironment(program), COPILOT_PROVIDER_BASE_URL: model.url, COPILOT_MODEL: "scripted", ...env },
  };
}

function resumeWords(resumes: CopilotOptions["resumes"]): string[] {
  if (resumes === undefined) return [];
  return resumes === "last" ? ["--continue"] : [`--resume=${resumes.session}`];
}

type Call = (method: string, params: object) => Promise<unknown>;

function callsOf(client: ClientProcess): Call {
  let calls = 0;
  return async (method, params) => {
    calls += 1;
    const id = calls;
    const from = client.events.length;
    client.send({ jsonrpc: "2.0", id, method, params });
    const place = await client.until((event) => event.id === id && event.method === undefined, from);
    const { result, error } = response.parse(client.events[place]);
    if (error !== undefined) throw client.problem(`refused ${method}: ${error.message}`);
    return result;
  };
}

async function sessionOf(call: Call, resumes: CopilotOptions["resumes"], place: object): Promise<string> {
  if (resumes === undefined) return newSession.parse(await call("session/new", place)).sessionId;
  if (resumes === "last") throw new Error("a live session is resumed by its id");
  await call("session/load", { sessionId: resumes.session, ...place });
  return resumes.session;
}

const resultEvent = z.object({ sessionId: z.string() });
const assistantMessage = z.object({ type: z.literal("assistant.message"), data: z.object({ content: z.string() }) });
const response = z.object({ result: z.unknown(), error: z.object({ message: z.string() }).optional() });
const newSession = z.object({ sessionId: z.string() });
const messageChunk = z.object({
  params: z.object({
    update: z.object({ sessionUpdate: z.literal("agent_message_chunk"), content: z.object({ text: z.string() }) }),
  }),
});
