import type { ToolSet } from "ai";
import * as z from "zod";
import { runTools } from "./run-tools.ts";
import { projectTools } from "./tools/project-tools.ts";

/** All tools as they are sent. They check their input themselves, so that a wrong one becomes an answer to the model. */
export async function toolSet(): Promise<ToolSet> {
  const { jsonSchema } = await import("ai");
  const entries = [...projectTools, ...runTools].map(({ name, description, input }) => {
    const { $schema: _, ...schema } = z.toJSONSchema(input, { io: "input", unrepresentable: "any" });
    return [name, { description, inputSchema: jsonSchema(schema as Parameters<typeof jsonSchema>[0]) }];
  });
  return Object.fromEntries(entries) as ToolSet;
}
