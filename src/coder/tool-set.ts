import type { ToolSet } from "ai";
import * as z from "zod";
import type { McpTool } from "./mcp/offered-tools.ts";
import { runTools } from "./run-tools.ts";
import { projectTools } from "./tools/project-tools.ts";

/** Names that no tool of an MCP server can have. */
export const ownToolNames: readonly string[] = [...projectTools, ...runTools].map(({ name }) => name);

/** All tools as they are sent. They check their input themselves, so that a wrong one becomes an answer to the model. */
export async function toolSet(mcpTools: readonly McpTool[]): Promise<ToolSet> {
  const { jsonSchema } = await import("ai");
  const own = [...projectTools, ...runTools].map(({ name, description, input }) => {
    const { $schema: _, ...schema } = z.toJSONSchema(input, { io: "input", unrepresentable: "any" });
    return { name, description, schema };
  });
  const others = mcpTools.map(({ name, description, inputSchema: schema }) => ({ name, description, schema }));
  const entries = [...own, ...others].map(({ name, description, schema }) => [
    name,
    { description, inputSchema: jsonSchema(schema as Parameters<typeof jsonSchema>[0]) },
  ]);
  return Object.fromEntries(entries) as ToolSet;
}
