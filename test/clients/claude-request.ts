import * as z from "zod";
import { textIn } from "./text-in.ts";

const block = z.looseObject({ type: z.string() });
const message = z.looseObject({ role: z.string(), content: z.union([z.string(), z.array(block)]) });

/** What Claude Code posts to /v1/messages; fields that no test reads pass as they are. */
export const claudeRequest = z.looseObject({
  model: z.string(),
  stream: z.boolean().default(false),
  system: z.union([z.string(), z.array(block)]).default([]),
  messages: z.array(message),
  tools: z.array(z.looseObject({ name: z.string() })).default([]),
});
export type ClaudeRequest = z.infer<typeof claudeRequest>;

/** All that the model would read, the system prompt first. */
export function claudeText(request: ClaudeRequest): string {
  return [textIn(request.system), textIn(request.messages)].join("\n");
}

/** The text of the last message of the user. After it there may be a system message, which Claude Code adds. */
export function lastUserText(request: ClaudeRequest): string {
  return textIn(request.messages.findLast(({ role }) => role === "user"));
}

export function claudeToolNames(request: ClaudeRequest): string[] {
  return request.tools.map(({ name }) => name);
}

/** The text of every tool result in the conversation, in order. */
export function claudeToolResults(request: ClaudeRequest): string[] {
  return request.messages
    .flatMap(({ content }) => (typeof content === "string" ? [] : content))
    .filter(({ type }) => type === "tool_result")
    .map(textIn);
}

/**
 * Whether the model is asked for the summary that replaces the conversation. The request for it is a block of its own,
 * which may stand behind what the user said before.
 */
export function isCompaction(request: ClaudeRequest): boolean {
  const content = request.messages.findLast(({ role }) => role === "user")?.content ?? "";
  const last = typeof content === "string" ? content : textIn(content.at(-1));
  return last.startsWith("CRITICAL: Respond with TEXT ONLY");
}
