import type { McpServer } from "@modelcontextprotocol/server";
import * as z from "zod";

/** Words that a person can send with one key. */
export function addPrompts(server: McpServer): void {
  server.registerPrompt(
    "start",
    {
      description: "Start a workflow and follow it",
      argsSchema: z.object({ workflow: z.string(), summary: z.string().optional() }),
    },
    ({ workflow, summary }) =>
      say(
        `Start the workflow "${workflow}" with workflow_start${summary ? `, with the summary "${summary}"` : ""}. ` +
          "Then follow it step by step: do what the instructions say, and call workflow_advance after each visit.",
      ),
  );
  server.registerPrompt("prime-context", { description: "Load the run's critical artifacts again" }, () =>
    say("Call prime_context and read what it brings before you go on. Then call workflow_status."),
  );
  server.registerPrompt("resume", { description: "Go on with the live run" }, () =>
    say("Call workflow_status and go on with the run exactly where it stands. Do nothing again that is done."),
  );
}

function say(text: string) {
  return { messages: [{ role: "user" as const, content: { type: "text" as const, text } }] };
}
