import { McpServer, type StandardSchemaWithJSON } from "@modelcontextprotocol/server";
import * as z from "zod";
import type { CallHandler } from "./call-handler.ts";
import { failure, failureOf, logError } from "./failure.ts";
import { addPrompts } from "./prompts.ts";
import { addResources } from "./resources.ts";
import { createTools } from "./tools.ts";

const instructions = `Holdfast keeps you on a workflow, whatever happens to your context.
1. To work on a workflow, call workflow_status first, and again after every compaction, clear or restart. It tells you where the run stands and what to do. In a conversation about something else, leave the run alone.
2. Follow the instructions exactly, then call workflow_advance with the token and your output: what they ask for, or a short summary.
3. If the reply is a contextAction, run that command (or ask for it), then call workflow_status.
4. A refusal is not a failure: do what its "next" says. Ask the person for what only a person may do.`;

/** A form stays open as long as the host's call lives; this is as far as a timer counts. */
const patience = { roundTimeoutMs: 2 ** 31 - 1 };

export interface ServerSettings {
  readonly version: string;
  /** The workflow to start if none is named. */
  readonly fallbackWorkflow: string | undefined;
  /** One line about the live runs; empty if there are none. */
  readonly live: string;
  /** Set if each call may come from another conversation: then it says which, and no hooks come here. */
  readonly isShared?: true;
}

/** Serves the operations as MCP tools. It translates, and decides nothing. */
export function createMcpServer(calls: () => Promise<CallHandler>, settings: ServerSettings): McpServer {
  const told = settings.live === "" ? instructions : `${settings.live}\n${instructions}`;
  const server = new McpServer(
    { name: "holdfast", version: settings.version },
    { instructions: told, inputRequired: patience },
  );
  for (const tool of createTools(settings.fallbackWorkflow)) {
    const { name, description, input, output, readOnly } = tool;
    server.registerTool(
      name,
      {
        description,
        inputSchema: advertised(jsonOf(settings.isShared ? input.extend(sessionInput) : input)),
        outputSchema: advertised({ ...output }),
        // `false` is what a client assumes.
        annotations: { ...(readOnly && { readOnlyHint: true }), openWorldHint: false },
      },
      async (sent, context) => {
        try {
          const client = {
            version: server.server.getClientVersion()?.version,
            capabilities: server.server.getClientCapabilities(),
          };
          return await (await calls()).call(tool, sent, context, client);
        } catch (error) {
          return failure(failureOf(error));
        }
      },
    );
  }
  if (settings.isShared !== true) addHookTool(server, calls);
  addResources(server, calls);
  addPrompts(server);
  return server;
}

/** What every tool takes beside its own input where calls of several conversations come. */
const sessionInput = { session: z.string().optional().describe("From the reply of workflow_start") };

/**
 * Hooks that an earlier version has set up send their events here. Models can call this tool as well, so it may record
 * and report, but must never move a run.
 */
function addHookTool(server: McpServer, calls: () => Promise<CallHandler>): void {
  server.registerTool(
    "hook",
    {
      description: "For the host's own hooks. Not for you: it never moves a run.",
      inputSchema: z.looseObject({ event: z.string() }),
      annotations: { openWorldHint: false },
    },
    async (sent) => ({ content: [{ type: "text", text: await answerOf(calls, sent) }] }),
  );
}

/** A hook gets an empty reply on any error, so that the host shows none. */
async function answerOf(calls: () => Promise<CallHandler>, sent: Readonly<Record<string, unknown>>): Promise<string> {
  try {
    return await (await calls()).hook(sent);
  } catch (error) {
    logError(error);
    return "{}";
  }
}

type JsonSchema = Readonly<Record<string, unknown>>;

/** Only describes the schema to the client. The input is checked in `callTool`, which has better messages. */
function advertised(json: JsonSchema): StandardSchemaWithJSON {
  return {
    "~standard": {
      version: 1,
      vendor: "holdfast",
      validate: (value: unknown) => ({ value }),
      jsonSchema: { input: () => json, output: () => json },
    },
  };
}

function jsonOf(schema: z.ZodObject): JsonSchema {
  const { $schema: _dialect, ...json } = z.toJSONSchema(schema, { io: "input" });
  return json;
}
