import { randomUUID } from "node:crypto";
import { createMcpHandler } from "@modelcontextprotocol/server";
import { liveRunsText } from "../../app/continuity/events/live-runs.ts";
import { isHoldfastError } from "../../errors.ts";
import { createMcpServer } from "../../mcp/server.ts";
import { isRecord } from "../../model/json.ts";
import type { Deps } from "../../operation/operation.ts";
import { sha256Hex } from "../../platform/files.ts";
import { hasRuns } from "../../project/has-runs.ts";
import { normalizeSessionId } from "../../sessions/normalize-session-id.ts";
import { requireLevel, type Visitor } from "../access/visitor.ts";
import { HttpProblem } from "../http/problem.ts";
import { readObject } from "../http/read-body.ts";
import { createOpenCalls } from "./open-calls.ts";
import { createSharedCalls } from "./shared-calls.ts";

export interface McpServing {
  readonly version: string;
}

/** Answers a request to the MCP address of a project, which `open` opens. */
export type McpEndpoint = (request: Request, visitor: Visitor, open: () => Deps) => Promise<Response>;

/** The header with the session of a client that knows ours. */
const ownHeader = "x-holdfast-session";
/** The header that clients of the protocol's versions up to 2025 send back as they got it. */
const sessionHeader = "mcp-session-id";

/**
 * Every request stands for itself: nothing is remembered from one to the next but the calls that are under way. So a client
 * goes on after the server was restarted.
 */
export function createMcpEndpoint({ version }: McpServing): McpEndpoint {
  const openCalls = createOpenCalls();
  return async (request, visitor, open) => {
    requireToken(visitor);
    const deps = open();
    const sent = request.method === "POST" ? await readObject(request) : undefined;
    const session = sessionOf(request);
    const client = clientOf(request, visitor);
    if (client !== null && sent?.method === "notifications/cancelled" && isRecord(sent.params)) {
      openCalls.cancel(client, sent.params.requestId);
    }
    const calls = createSharedCalls(deps, { session, client, openCalls });
    const live = isGreeting(sent) ? await describeLive(deps, session) : "";
    const settings = { version, fallbackWorkflow: undefined, live, isShared: true } as const;
    const handler = createMcpHandler(() => createMcpServer(async () => calls, settings));
    const answer = await handler.fetch(request, sent === undefined ? {} : { parsedBody: sent });
    return sent?.method === "initialize" ? withSession(answer, session) : answer;
  };
}

/** Headers carry other letters in as many ways as there are clients, so such a name is replaced by its hash. */
function sessionOf({ headers }: Request): string | undefined {
  const named = headers.get(ownHeader) ?? headers.get(sessionHeader) ?? "";
  return normalizeSessionId(/^[ -~]*$/.test(named) ? named : sha256Hex(named));
}

/**
 * Clients count their requests, so an id means something only within one client. Several may share a token: one that names
 * no session cancels a call by closing its connection, and in no other way.
 */
function clientOf({ headers }: Request, { name }: Visitor): string | null {
  const session = headers.get(sessionHeader);
  return session === null ? null : `${name}\0${session}`;
}

function isGreeting(sent: Readonly<Record<string, unknown>> | undefined): boolean {
  return sent?.method === "initialize" || sent?.method === "server/discover";
}

/** Gives the client a session, which it sends with every request from now on. */
function withSession(answer: Response, session = `http-${randomUUID()}`): Response {
  const greeting = new Response(answer.body, answer);
  greeting.headers.set(sessionHeader, session);
  return greeting;
}

/** A cookie is a person's, and the tools are for agents. */
function requireToken(visitor: Visitor): void {
  if (visitor.by !== "token") {
    const next =
      "send Authorization: Bearer <token>, with a token of: holdfast token create --name <name> --level agent";
    throw new HttpProblem(401, "token-needed", "the MCP tools need a token", next);
  }
  requireLevel(visitor, "agent");
}

/** Whatever is wrong with the project, the client is greeted. */
async function describeLive({ roots }: Deps, session = ""): Promise<string> {
  try {
    return hasRuns(roots.stateRoot) ? await liveRunsText(roots.stateRoot, session) : "";
  } catch (error) {
    if (isHoldfastError(error)) return "";
    throw error;
  }
}
