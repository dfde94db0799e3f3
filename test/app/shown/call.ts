import type { CallToolResult } from "@modelcontextprotocol/server";
import { callTool } from "../../../src/mcp/call-tool.ts";
import { createTools } from "../../../src/mcp/tools.ts";
import type { Deps } from "../../../src/operation/operation.ts";

/** Calls MCP tools; each call returns the very text that the model gets. */
export function toolCaller(deps: Deps): (name: string, input: object) => Promise<string> {
  const tools = createTools(undefined);
  return async (name, input) => {
    const tool = tools.find((each) => each.name === name);
    if (tool === undefined) throw new Error(`there is no tool ${name}`);
    const result = await callTool(tool, deps, input, () => {
      throw new Error("no dialog was expected");
    });
    const [content] = (result as CallToolResult).content;
    if (content?.type !== "text") throw new Error("the tool gave no text");
    return content.text;
  };
}
