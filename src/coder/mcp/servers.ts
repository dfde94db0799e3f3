import { isAbsolute } from "node:path";
import { isRecord } from "../../model/json.ts";
import { usualVariables } from "../tools/shell-environment.ts";
import { problem, type ToolReply } from "../tools/tool.ts";
import { trustedProgram } from "../tools/trusted-program.ts";
import { type Connection, connect, type Endpoint, type Limits } from "./connect.ts";
import {
  type McpProblem,
  type McpTool,
  type OfferLimits,
  offerTools,
  perServer,
  type ToolList,
} from "./offered-tools.ts";
import { replyOf } from "./result-text.ts";
import { type McpServerSettings, type McpSettings, withVariables } from "./server-settings.ts";

export const mcpPackage = "@modelcontextprotocol/client";

/** The MCP servers of the user's settings. They are asked for their tools once, so the list is the same in all requests. */
export interface McpServers {
  /** Starts every server, asks for its tools and ends it. Null if all can be used. */
  inspect(limits: OfferLimits, place: Place & { readonly signal: AbortSignal }): Promise<McpProblem | null>;
  /** How many tools each server has, in words; null if there are none. */
  summary(): string | null;
  /** Connects to a server when one of its tools is called for the first time. */
  open(place: Place): McpSession;
}

/** Where servers are started, and with what. */
export interface Place {
  readonly cwd: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Variables that they get besides the usual ones. */
  readonly passed: readonly string[];
}

export interface McpSession {
  readonly tools: readonly McpTool[];
  call(tool: McpTool, input: unknown, watch: CallWatch): Promise<ToolReply>;
  /** Ends all servers. */
  close(): Promise<void>;
}

export interface CallWatch {
  readonly signal: AbortSignal;
  onProgress(): void;
}

const startSeconds = 30;
const callSeconds = 120;

export function createMcpServers(settings: McpSettings = {}): McpServers {
  let tools: readonly McpTool[] = [];
  return {
    async inspect(limits, place) {
      const names = Object.keys(settings).sort();
      const lists = await Promise.all(names.map((name) => listTools(name, settings[name], place)));
      const unfit = lists.find((list) => "problem" in list);
      if (unfit !== undefined) return unfit;
      const offered = offerTools(lists as ToolList[], limits);
      if ("problem" in offered) return offered;
      tools = offered;
      return null;
    },
    summary: () => (tools.length === 0 ? null : `tools of MCP servers: ${perServer(tools)}`),
    open: (place) => openSession(tools, settings, place),
  };
}

async function listTools(
  server: string,
  settings: McpServerSettings | undefined,
  place: Place & { readonly signal: AbortSignal },
): Promise<ToolList | McpProblem> {
  const next = `correct or remove coder.mcp.${server} in your settings`;
  const fail = (what: string): McpProblem => ({ problem: `the MCP server ${server} cannot be used: ${what}`, next });
  if (settings === undefined) return fail("it has no settings");
  const seconds = settings.seconds ?? startSeconds;
  const limits = { seconds, signal: place.signal };
  const connection = await connectServer(settings, place, limits);
  if (typeof connection === "string") return fail(connection);
  try {
    const found = await connection.listTools(limits);
    const { tools: wanted } = settings;
    if (found.length === 0) return fail("it has no tools");
    const missing = wanted?.find((name) => !found.some((tool) => tool.name === name));
    if (missing !== undefined) return fail(`it has no tool ${missing}`);
    return { server, tools: wanted === undefined ? found : found.filter(({ name }) => wanted.includes(name)) };
  } catch (error) {
    return fail(`it does not list its tools: ${connection.word(error, seconds)}`);
  } finally {
    await connection.close();
  }
}

async function connectServer(settings: McpServerSettings, place: Place, limits: Limits): Promise<Connection | string> {
  const endpoint = endpointOf(settings, place);
  return typeof endpoint === "string" ? endpoint : connect(endpoint, limits);
}

function endpointOf(settings: McpServerSettings, { cwd, env, passed }: Place): Endpoint | string {
  const filled = withVariables(settings, env);
  if (typeof filled === "string") return `the variable ${filled}, which it needs, is not set`;
  if ("url" in filled) return { url: filled.url, headers: filled.headers ?? {} };
  const { command, args = [], env: own } = filled;
  const isInWorktree = command.includes("/") && !isAbsolute(command);
  const program = isInWorktree ? null : trustedProgram({ root: cwd, env }, command);
  if (program === null) return `there is no program ${command}; name one in PATH, or give its absolute path`;
  return { argv: [program, ...args], cwd, env: { ...usualVariables(env, { passed, hidden: [] }), ...own } };
}

function openSession(tools: readonly McpTool[], settings: McpSettings, place: Place): McpSession {
  const connections = new Map<string, Promise<Connection | string>>();
  let isClosed = false;
  const connectionTo = async (server: string, signal: AbortSignal): Promise<Connection | string> => {
    const current = connections.get(server);
    const known = await current;
    if (known !== undefined && typeof known !== "string" && known.isOpen()) return known;
    // Another call has reconnected in the meantime.
    if (connections.get(server) !== current) return connectionTo(server, signal);
    const own = settings[server];
    if (own === undefined || isClosed) return "it is not available any more";
    const connecting = connectServer(own, place, { seconds: own.seconds ?? startSeconds, signal });
    connections.set(server, connecting);
    return connecting;
  };
  return {
    tools,
    call: (tool, input, watch) => callTool(tool, input, watch, settings[tool.server]?.seconds, connectionTo),
    async close() {
      isClosed = true;
      const open = await Promise.all(connections.values());
      await Promise.all(open.map((connection) => (typeof connection === "string" ? null : connection.close())));
    },
  };
}

async function callTool(
  { name, server, definition }: McpTool,
  input: unknown,
  { signal, onProgress }: CallWatch,
  seconds = callSeconds,
  connectionTo: (server: string, signal: AbortSignal) => Promise<Connection | string>,
): Promise<ToolReply> {
  const given = input ?? {};
  if (!isRecord(given)) return problem(`wrong input for ${name}: it must be an object`);
  const connection = await connectionTo(server, signal);
  if (typeof connection === "string") return problem(`not run: the MCP server ${server} cannot be used: ${connection}`);
  try {
    return replyOf(await connection.call(definition, given, { seconds, signal }, onProgress));
  } catch (error) {
    const what = signal.aborted ? "the call was interrupted" : connection.word(error, seconds);
    const isAnswer = isRecord(error) && typeof error.code === "number";
    if (isAnswer) return problem(what);
    // The server may still be working on the call, but nobody waits for it any more.
    await connection.close();
    return problem(
      `the MCP server ${server} gave no result: ${what}. It is started again with the next call of a tool.`,
    );
  }
}
