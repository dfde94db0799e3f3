import type { CallToolResult, ServerContext } from "@modelcontextprotocol/server";
import { compose } from "../app/compose.ts";
import type { Caller } from "../operation/operation.ts";
import { findSettings } from "../project/compiled-settings.ts";
import { followConversation } from "../sessions/conversation.ts";
import { answerHook } from "./answer-hook.ts";
import { callTool } from "./call-tool.ts";
import { failure } from "./failure.ts";
import { createResourceReaders, type ResourceReaders } from "./resource-readers.ts";
import type { Tool } from "./tools.ts";

/** Where a server works: what whoever started it named, and nothing of what has to be looked for. */
export interface ServerFolders {
  readonly worktree: string;
  readonly stateRoot: string | undefined;
  readonly workflow: string | undefined;
}

/** Where calls are answered: the larger part of the server. A client that only says hello does not wait for it. */
export interface CallHandler {
  /** Throws where the state cannot be read or written. */
  call(tool: Tool, sent: unknown, context: ServerContext): Promise<CallToolResult>;
  hook(sent: Readonly<Record<string, unknown>>): Promise<string>;
  readonly resources: ResourceReaders;
  close(): Promise<void>;
}

export function createCallHandler({ worktree, stateRoot, workflow }: ServerFolders): CallHandler {
  const composed = compose(worktree, nobody, { stateRoot, workflow });
  const patience = () => patienceIn(composed.roots.stateRoot);
  const deps = { ...composed, cwd: process.cwd(), caller: { ...composed.caller, patience } };
  const conversation = followConversation(deps.sessions, deps.caller.env, deps.now);
  return {
    async call(tool, sent, context) {
      const call = { answered: false };
      try {
        if (context.mcpReq.signal.aborted) return failure(cancelled);
        deps.refuseLinks();
        const session = conversation.session();
        const caller = { ...callerOf(deps.caller, context, call), session };
        // For this call that has just been done.
        const answer = await callTool(tool, { ...deps, caller, refuseLinks() {} }, sent);
        conversation.heard(session);
        return answer;
      } finally {
        call.answered = true;
      }
    },
    hook: (sent) => answerHook(deps, conversation, sent),
    resources: createResourceReaders(deps),
    close: () => deps.journal.settle(),
  };
}

/** Nobody reads it: whoever cancels a call has stopped waiting for it. */
const cancelled = { code: "cancelled", message: "the call was cancelled; nothing was done", next: "call again" };

/** Which conversation calls is found out at each call. */
const nobody: Caller = {
  env: process.env,
  session: undefined,
  isTerminal: false,
  as: undefined,
  confirm: undefined,
  progress: undefined,
  signal: undefined,
};

/** Codex gives a tool 60 seconds. */
const patienceSeconds = 45;

async function patienceIn(stateRoot: string): Promise<number> {
  const { settings, problem } = await findSettings(stateRoot);
  // The reply is for the agent; that the settings are broken is for the person who wrote them.
  if (problem !== null) process.stderr.write(`${problem}\n`);
  return (settings.patienceSeconds ?? patienceSeconds) * 1_000;
}

/** Cancelling the call stops its gates; whoever asked for progress is told while they run and the call lasts. */
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
      // A client that went away needs no progress; its call is cancelled all the same.
      mcpReq.notify({ method: "notifications/progress", params }).catch(() => {});
    },
  };
}
