import type { McpServer } from "@modelcontextprotocol/server";
import * as z from "zod";

/** Prompts that a person can send from the menu of a host. */
export function addPrompts(server: McpServer): void {
  server.registerPrompt(
    "start",
    {
      description: "Start a workflow and follow it",
      argsSchema: z.object({ workflow: z.string(), request: z.string().optional() }),
    },
    ({ workflow, request }) =>
      say(
        `Start the workflow "${workflow}" with workflow_start${request ? ", and send the request below word for word" : ""}. ` +
          "Then follow it step by step: follow the instructions, and call workflow_advance after each visit." +
          `${request ? `\n\nThe request:\n${request}` : ""}`,
      ),
  );
  server.registerPrompt("prime-context", { description: "Load the run's critical artifacts again" }, () =>
    say("Call prime_context and read what it returns. Then call workflow_status."),
  );
  server.registerPrompt("resume", { description: "Continue the live run" }, () =>
    say("Call workflow_status and continue the run exactly where it stands. Do not repeat finished work."),
  );
}

function say(text: string) {
  return { messages: [{ role: "user" as const, content: { type: "text" as const, text } }] };
}
