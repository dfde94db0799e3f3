import * as z from "zod";
import { textIn } from "./text-in.ts";

const namedTool = z.looseObject({ type: z.string(), name: z.string().optional() });

/** What Codex posts to /responses; fields that no test reads pass as they are. */
export const codexRequest = z.looseObject({
  model: z.string(),
  instructions: z.string().default(""),
  input: z.array(z.looseObject({ type: z.string() })),
  tools: z.array(namedTool.extend({ tools: z.array(namedTool).optional() })).default([]),
});
export type CodexRequest = z.infer<typeof codexRequest>;

export interface CodexTool {
  /** The tools of an MCP server share one, as in `mcp__echo`. */
  readonly namespace?: string;
  readonly name: string;
}

/** All that the model would read, the instructions first. */
export function codexText(request: CodexRequest): string {
  return [request.instructions, textIn(request.input)].join("\n");
}

/** Every tool that can be called by name, with the namespace in front, as in `mcp__echo__repeat`. */
export function codexToolNames(request: CodexRequest): string[] {
  return codexTools(request).map(fullName);
}

export function fullName({ namespace, name }: CodexTool): string {
  return namespace === undefined ? name : `${namespace}__${name}`;
}

export function codexTools(request: CodexRequest): CodexTool[] {
  return request.tools.flatMap(({ name, tools }) => {
    if (name === undefined) return [];
    if (tools === undefined) return [{ name }];
    return tools.flatMap((tool) => (tool.name === undefined ? [] : [{ namespace: name, name: tool.name }]));
  });
}

/** The text of every tool result in the conversation, in order; Codex puts a line with the time it took before it. */
export function codexToolResults(request: CodexRequest): string[] {
  return request.input.filter(({ type }) => type === "function_call_output").map(textIn);
}
