import { ContextError } from "../conversation/context-error.ts";
import {
  type AssistantMessage,
  type ModelMessage,
  outputText,
  type UserPart,
  wordsOf,
} from "../conversation/message.ts";
import { keptBlocks } from "./kept-blocks.ts";
import { readMedium, wireId, wireName } from "./wire.ts";

export type OpenAiMessage =
  | { role: "system"; content: string }
  | { role: "user"; content: string | OpenAiPart[] }
  | { role: "assistant"; content: string | null; tool_calls?: OpenAiCall[] }
  | { role: "tool"; tool_call_id: string; content: string };

export type OpenAiPart =
  | { type: "text"; text: string }
  | { type: "image_url"; image_url: { url: string } }
  | { type: "file"; file: { filename: string; file_data: string } };

export interface OpenAiCall {
  id: string;
  type: "function";
  function: { name: string; arguments: string };
}

/** The messages part of a request to OpenAI's Chat Completions API. */
export interface OpenAiBody {
  messages: OpenAiMessage[];
}

const idLength = 40;

/** Converts the result of `context.messages()`. Drops thoughts, which this API does not support. */
export function toOpenAi(messages: readonly ModelMessage[]): OpenAiBody {
  const body = messages.flatMap(wireMessages);
  if (!body.some(({ role }) => role !== "system")) throw new ContextError("request-empty", {});
  return { messages: body };
}

function wireMessages(message: ModelMessage): OpenAiMessage[] {
  switch (message.role) {
    case "system":
      return [{ role: "system", content: message.content }];
    case "user":
      return [{ role: "user", content: userContent(message.content) }];
    case "assistant":
      return assistantMessage(message);
    case "tool":
      return message.content.map(({ toolCallId, output }) => ({
        role: "tool",
        tool_call_id: wireId(toolCallId, idLength),
        content: outputText(output),
      }));
  }
}

function userContent(content: string | UserPart[]): string | OpenAiPart[] {
  return typeof content === "string" ? content : content.filter(saysSomething).map(userPart);
}

function saysSomething(part: UserPart): boolean {
  return part.type !== "text" || part.text.trim() !== "";
}

function userPart(part: UserPart): OpenAiPart {
  if (part.type === "text") return { type: "text", text: part.text };
  if (part.type === "image") return imagePart(part.image, part.mediaType);
  if (part.type !== "file") throw unsupported(part);
  if (part.mediaType.startsWith("image/")) return imagePart(part.data, part.mediaType);
  const medium = readMedium(part.data, part.mediaType);
  if (medium.type === "url") throw new ContextError("part-unsupported", { provider: "OpenAI", part: "file by URL" });
  const data = `data:${medium.mediaType};base64,${medium.data}`;
  return { type: "file", file: { filename: part.filename ?? "file", file_data: data } };
}

function imagePart(data: string, mediaType: string | undefined): OpenAiPart {
  const medium = readMedium(data, mediaType);
  const type = medium.type === "base64" ? medium.mediaType.replace("/*", "/png") : "";
  const url = medium.type === "url" ? medium.url : `data:${type};base64,${medium.data}`;
  return { type: "image_url", image_url: { url } };
}

/** None if nothing is left, because this API has no place for what another provider's tools did. */
function assistantMessage(message: AssistantMessage): OpenAiMessage[] {
  const parts = typeof message.content === "string" ? [] : message.content;
  const calls = parts.flatMap((part): OpenAiCall[] => {
    if (part.type === "text" || part.type === "reasoning" || keptBlocks(part, "openai") !== null) return [];
    if (part.type !== "tool-call" || part.providerExecuted === true) throw unsupported(part);
    const { toolCallId, toolName, input } = part;
    const call = { name: wireName(toolName), arguments: JSON.stringify(input) };
    return [{ id: wireId(toolCallId, idLength), type: "function", function: call }];
  });
  const words = wordsOf(message);
  const content = words.trim() === "" ? null : words;
  if (content === null && calls.length === 0) return [];
  return [{ role: "assistant", content, ...(calls.length > 0 && { tool_calls: calls }) }];
}

function unsupported({ type }: { readonly type: string }): ContextError {
  return new ContextError("part-unsupported", { provider: "OpenAI", part: type });
}
