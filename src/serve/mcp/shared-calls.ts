import { randomUUID } from "node:crypto";
import type { ServerContext } from "@modelcontextprotocol/server";
import { answerCall, asAgent, type CallHandler } from "../../mcp/call-handler.ts";
import { createResourceReaders } from "../../mcp/resource-readers.ts";
import { isRecord } from "../../model/json.ts";
import type { Deps } from "../../operation/operation.ts";
import { normalizeSessionId } from "../../sessions/normalize-session-id.ts";
import type { OpenCalls } from "./open-calls.ts";

export interface SharedCaller {
  /** The session that the request names. */
  readonly session: string | undefined;
  /** Tells the calls of one client from those of another; null if nothing does. */
  readonly client: string | null;
  readonly openCalls: OpenCalls;
}

/**
 * Answers the calls of one request. A call names its session, or the request does; without one it names its run, and a start
 * gets a new session. Nobody counts as a person here: forms are not shown, and hooks do not come this way.
 */
export function createSharedCalls(opened: Deps, { session: given, client, openCalls }: SharedCaller): CallHandler {
  const deps = asAgent(opened);
  const env = { ...deps.caller.env, HOLDFAST_AGENT: "1" };
  return {
    call(tool, sent, context) {
      const { session: said, ...input } = isRecord(sent) ? sent : {};
      const named = typeof said === "string" ? normalizeSessionId(said) : undefined;
      const isStart = tool.operation === "start";
      const session = named ?? given ?? (isStart ? `http-${randomUUID()}` : undefined);
      const isPlain = isRecord(sent) && (said === undefined || typeof said === "string");
      return openCalls.perform(client, context.mcpReq.id, (signal) =>
        answerCall(deps, {
          tool,
          sent: isPlain ? input : sent,
          context: cancelledBy(context, signal),
          caller: { env, session },
          ...(isStart && { added: { session } }),
          show() {
            throw new Error("nobody is asked over HTTP");
          },
        }),
      );
    },
    hook: async () => "{}",
    resources: createResourceReaders(deps),
    close: async () => {},
  };
}

function cancelledBy(context: ServerContext, signal: AbortSignal): ServerContext {
  const { mcpReq } = context;
  return { ...context, mcpReq: { ...mcpReq, signal: AbortSignal.any([mcpReq.signal, signal]) } };
}
