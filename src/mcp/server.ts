import { McpServer, type ServerContext, type StandardSchemaWithJSON } from "@modelcontextprotocol/server";
import * as z from "zod";
import { followConversation } from "../app/continuity/conversation.ts";
import type { Caller, Deps } from "../app/operation.ts";
import { callTool } from "./call-tool.ts";
import { compileEarly } from "./compile-early.ts";
import { addHookTool } from "./hook-tool.ts";
import { addPrompts } from "./prompts.ts";
import { addResources } from "./resources.ts";
import { createTools } from "./tools.ts";

const instructions = `Holdfast keeps you on a workflow, whatever happens to your context.
1. Call workflow_status first, and after every compaction, clear or restart. It says where the run stands and what to do.
2. Do exactly what the instructions say; then call workflow_advance with the token and a short account of what you did.
3. When the answer is a contextAction, run that command (or ask for it), then call workflow_status.
4. A refusal is not a failure: do what its "next" says. What only a person may do, ask the person for.`;

export interface ServerSettings {
  readonly version: string;
  /** The workflow to start when none is named. */
  readonly fallbackWorkflow: string | undefined;
}

/** One more face over the table of operations: it translates, and decides nothing. */
export function createMcpServer(deps: Deps, settings: ServerSettings): McpServer {
  const server = new McpServer({ name: "holdfast", version: settings.version }, { instructions });
  const conversation = followConversation(deps.sessions, deps.caller.env, deps.now);
  let early = false;
  for (const tool of createTools(settings.fallbackWorkflow)) {
    const { name, description, input, output, readOnly } = tool;
    server.registerTool(
      name,
      {
        description,
        inputSchema: advertised(input, "input"),
        outputSchema: advertised(output, "output"),
        annotations: { readOnlyHint: readOnly, openWorldHint: false },
      },
      async (sent, context) => {
        if (!early) compileEarly();
        early = true;
        const call = { answered: false };
        const session = conversation.session();
        try {
          const caller = { ...callerOf(deps.caller, context, call), session };
          return await callTool(tool, { ...deps, caller }, sent);
        } finally {
          call.answered = true;
          conversation.heard(session);
        }
      },
    );
  }
  addHookTool(server, deps, conversation);
  addResources(server, deps);
  addPrompts(server);
  return server;
}

/** Shown to the client as it is; the check happens in `callTool`, whose message says what to do. */
function advertised(schema: z.ZodObject, io: "input" | "output"): StandardSchemaWithJSON {
  const { $schema: _dialect, ...json } = z.toJSONSchema(schema, { io });
  return {
    "~standard": {
      version: 1,
      vendor: "holdfast",
      validate: (value: unknown) => ({ value }),
      jsonSchema: { input: () => json, output: () => json },
    },
  };
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
