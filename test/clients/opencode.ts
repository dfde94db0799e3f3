import { existsSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import * as z from "zod";
import type { Project } from "../cli/program.ts";
import type { ChatModel } from "./chat-model.ts";
import { type ChatRequest, chatText } from "./chat-request.ts";
import { type ClientProcess, startClient } from "./client-process.ts";
import { opencodeProgram } from "./programs.ts";

export interface OpencodeOptions {
  readonly project: Project;
  readonly model: ChatModel;
  /** A session of an earlier process to go on with. */
  readonly resumes?: { readonly session: string };
  /** Where it is started, below the project. */
  readonly folder?: string;
  readonly env?: Readonly<Record<string, string>>;
  /** How long one prompt may take. */
  readonly timeoutMs?: number;
}

/** A session that stays open between prompts, as a person's does. */
export interface OpencodeSession {
  readonly id: string;
  /** Returns the last words of the agent. */
  prompt(text: string): Promise<string>;
  /** Runs a command of the project, as `/name words` in its prompt does. */
  command(name: string, words: string): Promise<string>;
  /** As `/compact` does. */
  compact(): Promise<void>;
  /** Another session of the same process, as `/new` makes one, or a copy of this one. */
  next(how: "new" | "fork"): Promise<OpencodeSession>;
  isIdle(): Promise<boolean>;
  close(): Promise<void>;
  /** As when the machine goes down. */
  kill(): Promise<void>;
}

/** Starts `opencode serve`, which all its faces talk to, and opens a session; it ends with the test. */
export async function openOpencode(options: OpencodeOptions): Promise<OpencodeSession> {
  const { project, folder = ".", timeoutMs = 60_000 } = options;
  const client = await start(options);
  const [, address = ""] = await client.untilSaid(/listening on (http:\S+)/);
  const directory = encodeURIComponent(join(project.root, folder));
  const call: Call = async (path, body) => {
    const response = await fetch(`${address}${path}?directory=${directory}`, {
      ...(body === undefined
        ? {}
        : { method: "POST", headers: { "content-type": "application/json" }, body: JSON.stringify(body) }),
      signal: AbortSignal.timeout(timeoutMs),
    }).catch((error: unknown) => {
      throw client.problem(`did not answer ${path} (${error})`);
    });
    if (!response.ok) throw client.problem(`answered ${path} with ${response.status}: ${await response.text()}`);
    return response.json();
  };
  const id = options.resumes?.session ?? sessionInfo.parse(await call("/session", {})).id;
  return sessionOf(client, call, id);
}

/** Whether it asks for the summary that replaces the conversation. */
export function isOpencodeCompaction(request: ChatRequest): boolean {
  return request.tools.length === 0 && chatText(request).startsWith("You are a context summarization agent.");
}

/** Posts a body, or gets what is there. */
type Call = (path: string, body?: object) => Promise<unknown>;

const sessionInfo = z.object({ id: z.string() });
const answered = z.object({
  info: z.object({ error: z.unknown().optional() }),
  parts: z.array(z.looseObject({ type: z.string(), text: z.string().optional() })),
});

function sessionOf(client: ClientProcess, call: Call, id: string): OpencodeSession {
  const say = async (path: string, body: object) => {
    const { info, parts } = answered.parse(await call(`/session/${id}/${path}`, body));
    if (info.error !== undefined) throw client.problem(`failed: ${JSON.stringify(info.error)}`);
    return parts.flatMap(({ type, text }) => (type === "text" ? [text] : [])).join("");
  };
  return {
    id,
    prompt: (text) => say("message", { parts: [{ type: "text", text }] }),
    command: (name, words) => say("command", { command: name, arguments: words }),
    async compact() {
      await call(`/session/${id}/summarize`, { providerID: "scripted", modelID: "scripted" });
    },
    async next(how) {
      const made = await call(how === "fork" ? `/session/${id}/fork` : "/session", {});
      return sessionOf(client, call, sessionInfo.parse(made).id);
    },
    async isIdle() {
      return !(id in Object(await call("/session/status")));
    },
    async close() {
      await call("/instance/dispose", {});
      await client.kill();
    },
    kill: () => client.kill(),
  };
}

async function start(options: OpencodeOptions, words: readonly string[] = ["serve"]): Promise<ClientProcess> {
  const { project, model, folder, env = {}, timeoutMs = 60_000 } = options;
  for (const place of [join(project.root, ".opencode"), join(project.home, ".config/opencode")]) preventInstall(place);
  return startClient({
    program: await opencodeProgram(),
    args: words,
    project,
    folder,
    env: {
      OPENCODE_CONFIG_CONTENT: JSON.stringify(configOf(model)),
      OPENCODE_DISABLE_MODELS_FETCH: "true",
      OPENCODE_DISABLE_LSP_DOWNLOAD: "true",
      ...env,
    },
    timeoutMs,
  });
}

/** The model has room for 100,000 tokens, of which a reply may take 4,000: above that it compacts by itself. */
function configOf({ url }: ChatModel): object {
  const models = { scripted: { limit: { context: 100_000, output: 4_000 } } };
  const options = { baseURL: url, apiKey: "dummy" };
  return {
    provider: { scripted: { npm: "@ai-sdk/openai-compatible", options, models } },
    model: "scripted/scripted",
    small_model: "scripted/scripted",
    autoupdate: false,
    share: "disabled",
  };
}

/** It installs the types for plugins into every folder with settings, unless they seem to be there. */
function preventInstall(folder: string): void {
  if (folder.endsWith(".opencode") && !existsSync(folder)) return;
  mkdirSync(join(folder, "node_modules"), { recursive: true });
  const dependencies = { "@opencode-ai/plugin": "*" };
  writeFileSync(join(folder, "package-lock.json"), JSON.stringify({ packages: { "": { dependencies } } }));
}
