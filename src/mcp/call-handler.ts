import "../operation/quick-schemas.ts";
import type {
  CallToolResult,
  ClientCapabilities,
  InputRequiredResult,
  ServerContext,
} from "@modelcontextprotocol/server";
import { compose } from "../app/compose.ts";
import { settleShown } from "../app/shown/shown-log.ts";
import { isRecord } from "../model/json.ts";
import { readHostVersion } from "../model/session.ts";
import type { Form } from "../operation/dialog.ts";
import type { Caller, Deps } from "../operation/operation.ts";
import { findSettings } from "../project/compiled-settings.ts";
import { followConversation } from "../sessions/conversation.ts";
import { withCachedRun } from "../sessions/session-log.ts";
import { answerHook } from "./answer-hook.ts";
import { callTool } from "./call-tool.ts";
import { createDialog, showForm } from "./dialog.ts";
import { failure } from "./failure.ts";
import { createResourceReaders, type ResourceReaders } from "./resource-readers.ts";
import type { Tool } from "./tools.ts";

/** The folders given when the server was started. */
export interface ServerFolders {
  readonly cwd: string;
  readonly worktree: string;
  readonly stateRoot: string | undefined;
  readonly workflow: string | undefined;
}

/** The client of a server, as far as it told when it connected. */
export interface Client {
  readonly version: string | undefined;
  readonly capabilities: ClientCapabilities | undefined;
}

/** A reply, or a form for the person, with whose answer the client calls again. */
export type ToolResult = CallToolResult | InputRequiredResult;

/** Answers calls. This is the larger part of the server and is loaded after the greeting. */
export interface CallHandler {
  /** Throws if the state cannot be read or written. */
  call(tool: Tool, sent: unknown, context: ServerContext, client: Client): Promise<ToolResult>;
  hook(sent: Readonly<Record<string, unknown>>): Promise<string>;
  readonly resources: ResourceReaders;
  close(): Promise<void>;
}

export function createCallHandler(folders: ServerFolders, env: Caller["env"]): CallHandler {
  const { cwd, worktree, stateRoot, workflow } = folders;
  const composed = compose(worktree, { ...nobody, env }, { stateRoot, workflow });
  const sessions = withCachedRun(composed.sessions);
  const deps = { ...asAgent(composed), cwd, sessions };
  const conversation = followConversation(deps.sessions, deps.caller.env, deps.now);
  const place = { home: deps.user.home, project: deps.roots.projectRoot };
  const forms = { shown: new Set<string>(), declined: new Set<string>() };
  return {
    async call(tool, sent, context, client) {
      const session = conversation.session();
      const hostVersion = versionIn(context) ?? readHostVersion(client.version);
      const dialog = createDialog(context, client.capabilities, place, forms);
      const show = (form: Form) => showForm(form, forms);
      const result = await answerCall(deps, { tool, sent, context, caller: { session, hostVersion, dialog }, show });
      if (!context.mcpReq.signal.aborted) conversation.heard(session);
      return result;
    },
    hook: (sent) => answerHook(deps, conversation, sent),
    resources: createResourceReaders(deps),
    async close() {
      settleShown();
      await deps.journal.settle();
    },
  };
}

/** The same for the tools of an agent, who waits as long as hosts let it. */
export function asAgent(deps: Deps): Deps {
  const patience = () => patienceIn(deps.roots.stateRoot);
  return { ...deps, caller: { ...deps.caller, face: "mcp", patience } };
}

export interface ToolCall {
  readonly tool: Tool;
  readonly sent: unknown;
  readonly context: ServerContext;
  /** Who calls, as far as it is known with each call. */
  readonly caller: Partial<Caller>;
  /** What is added to a reply that succeeds. */
  readonly added?: Readonly<Record<string, unknown>>;
  show(form: Form): InputRequiredResult;
}

/** Answers one call. Cancelling it stops its gates. */
export async function answerCall(
  deps: Deps,
  { tool, sent, context, caller, added, show }: ToolCall,
): Promise<ToolResult> {
  const call = { answered: false };
  try {
    if (context.mcpReq.signal.aborted) return failure(cancelled);
    deps.refuseLinks();
    const calling = { ...callerOf(deps.caller, context, call), ...caller };
    // Already done above, once for this call.
    return await callTool(tool, { ...deps, caller: calling, refuseLinks() {} }, sent, show, added);
  } finally {
    call.answered = true;
  }
}

/** A cancelled caller does not read this. */
const cancelled = { code: "cancelled", message: "the call was cancelled; nothing was done", next: "call again" };

/** The session is determined at each call. */
const nobody: Omit<Caller, "env"> = {
  face: "mcp",
  session: undefined,
  isTerminal: false,
  // Without a terminal nobody is a person, whatever is above the server.
  surroundings: () => ({ terminal: null, ancestors: [] }),
  as: undefined,
  confirm: undefined,
  progress: undefined,
  signal: undefined,
};

/** Codex gives a tool 60 seconds, so answer well before that. */
const patienceSeconds = 45;

async function patienceIn(stateRoot: string): Promise<number> {
  const { settings, problem } = await findSettings(stateRoot);
  // Broken settings are reported to the person, not to the agent.
  if (problem !== null) process.stderr.write(`${problem}\n`);
  return (settings.patienceSeconds ?? patienceSeconds) * 1_000;
}

/** In the newer protocol every call carries it; else it is what the client said when it connected. */
function versionIn({ mcpReq }: ServerContext): string | undefined {
  const info: unknown = Reflect.get(mcpReq.envelope ?? {}, "io.modelcontextprotocol/clientInfo");
  return isRecord(info) ? readHostVersion(info.version) : undefined;
}

/** Cancelling the call stops its gates. Progress is reported only while the call lasts. */
function callerOf(caller: Caller, { mcpReq }: ServerContext, call: { readonly answered: boolean }): Caller {
  const progressToken = mcpReq._meta?.progressToken;
  let progress = 0;
  return {
    ...caller,
    signal: mcpReq.signal,
    progress(message) {
      if (progressToken === undefined || call.answered) return;
      progress += 1;
      const params = { progressToken, progress, message };
      // Ignore a client that is gone; its call is cancelled anyway.
      mcpReq.notify({ method: "notifications/progress", params }).catch(() => {});
    },
  };
}
