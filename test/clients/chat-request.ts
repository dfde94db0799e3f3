import * as z from "zod";
import { textIn } from "./text-in.ts";

const message = z.looseObject({ role: z.string() });

/** What a program posts to /chat/completions; fields that no test reads pass as they are. */
export const chatRequest = z.looseObject({
  model: z.string(),
  stream: z.boolean().default(false),
  messages: z.array(message),
  tools: z.array(z.looseObject({ function: z.looseObject({ name: z.string() }) })).default([]),
});
export type ChatRequest = z.infer<typeof chatRequest>;

/** All that the model would read, in order. */
export function chatText(request: ChatRequest): string {
  return textIn(request.messages);
}

/** The text of the last message of the user. */
export function lastChatText(request: ChatRequest): string {
  return textIn(request.messages.findLast(({ role }) => role === "user"));
}

export function chatToolNames(request: ChatRequest): string[] {
  return request.tools.map((tool) => tool.function.name);
}

/** The text of every tool result in the conversation, in order. */
export function chatToolResults(request: ChatRequest): string[] {
  return request.messages.filter(({ role }) => role === "tool").map(textIn);
}

/** Whether Copilot CLI asks for the summary that replaces the conversation. It does so in the background, too. */
export function isChatCompaction(request: ChatRequest): boolean {
  return lastChatText(request).startsWith("Please create a detailed summary of the conversation so far.");
}
