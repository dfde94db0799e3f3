import { ContextError } from "../conversation/context-error.ts";
import {
  type AssistantMessage,
  type AssistantPart,
  isError,
  type OutputPart,
  outputText,
  type ReasoningPart,
  type TextPart,
  type ToolResultPart,
  type UserPart,
} from "../conversation/message.ts";
import type { CacheControl } from "./cache.ts";
import { keptBlocks } from "./kept-blocks.ts";
import { type ImageType, imageType, readMedium, wireId, wireName } from "./wire.ts";

interface Cached {
  cache_control?: CacheControl;
}

export type TextBlock = { type: "text"; text: string } & Cached;
type Source<T extends string> = { type: "url"; url: string } | { type: "base64"; media_type: T; data: string };
type ImageBlock = { type: "image"; source: Source<ImageType> } & Cached;
type DocumentBlock = {
  type: "document";
  source: Source<"application/pdf"> | { type: "text"; media_type: "text/plain"; data: string };
  title?: string;
} & Cached;
type ThoughtBlock =
  | { type: "thinking"; thinking: string; signature: string }
  | { type: "redacted_thinking"; data: string };
type CallBlock = { type: "tool_use"; id: string; name: string; input: unknown } & Cached;
type ResultBlock = {
  type: "tool_result";
  tool_use_id: string;
  content?: string | (TextBlock | ImageBlock | DocumentBlock)[];
  is_error?: true;
} & Cached;

/** Blocks of tools that Anthropic runs itself are passed through as well; their types are the SDK's. */
export type AnthropicBlock = TextBlock | ImageBlock | DocumentBlock | ThoughtBlock | CallBlock | ResultBlock;

const idLength = 64;

export function userBlock(part: UserPart): (TextBlock | ImageBlock | DocumentBlock)[] {
  switch (part.type) {
    case "text":
      return words(part.text);
    case "image":
      return [imageBlock(part.image, part.mediaType)];
    case "file":
      return [fileBlock(part.data, part.mediaType, part.filename)];
    default:
      throw unsupported(part);
  }
}

export function assistantBlocks({ content }: AssistantMessage): AnthropicBlock[] {
  return typeof content === "string" ? [{ type: "text", text: content }] : content.flatMap(assistantBlock);
}

function assistantBlock(part: AssistantPart): AnthropicBlock[] {
  if (part.type === "text") return cited(part);
  if (part.type === "reasoning") return thoughts(part);
  const kept = keptBlocks(part, "anthropic");
  if (kept !== null) return kept as unknown as AnthropicBlock[];
  if (part.type !== "tool-call" || part.providerExecuted === true) throw unsupported(part);
  const isObject = typeof part.input === "object" && part.input !== null && !Array.isArray(part.input);
  const input = isObject ? part.input : { input: part.input };
  const { caller } = part.providerOptions?.anthropic ?? {};
  const name = wireName(part.toolName);
  return [{ type: "tool_use", id: wireId(part.toolCallId, idLength), name, input, ...(caller && { caller }) }];
}

function cited({ text, providerOptions }: TextPart): TextBlock[] {
  const { citations } = providerOptions?.anthropic ?? {};
  return words(text).map((block) => ({ ...block, ...(citations && { citations }) }));
}

/** Sends back only thoughts that Anthropic has signed, not those of other providers. */
function thoughts({ text, providerOptions }: ReasoningPart): ThoughtBlock[] {
  const { signature, redactedData } = providerOptions?.anthropic ?? {};
  if (typeof redactedData === "string") return [{ type: "redacted_thinking", data: redactedData }];
  return typeof signature === "string" ? [{ type: "thinking", thinking: text, signature }] : [];
}

export function resultBlock({ toolCallId, output }: ToolResultPart): AnthropicBlock {
  const text = outputText(output);
  const plain = text.trim() === "" ? "" : text;
  const content = output.type === "content" ? output.value.flatMap(outputBlock) : plain;
  return {
    type: "tool_result",
    tool_use_id: wireId(toolCallId, idLength),
    ...(content.length > 0 && { content }),
    ...(isError(output) && { is_error: true }),
  };
}

function outputBlock(part: OutputPart): (TextBlock | ImageBlock | DocumentBlock)[] {
  switch (part.type) {
    case "text":
      return words(part.text);
    case "image-data":
      return [imageBlock(part.data, part.mediaType)];
    case "image-url":
      return [imageBlock(part.url, undefined)];
    case "file-data":
      return [fileBlock(part.data, part.mediaType, part.filename)];
    case "file-url":
      return [{ type: "document", source: { type: "url", url: part.url } }];
    default:
      throw unsupported(part);
  }
}

function words(text: string): TextBlock[] {
  return text.trim() === "" ? [] : [{ type: "text", text }];
}

function imageBlock(data: string, mediaType: string | undefined): ImageBlock {
  const medium = readMedium(data, mediaType);
  if (medium.type === "url") return { type: "image", source: { type: "url", url: medium.url } };
  return { type: "image", source: { type: "base64", media_type: imageType(medium), data: medium.data } };
}

function fileBlock(data: string, mediaType: string, filename: string | undefined): ImageBlock | DocumentBlock {
  if (mediaType.startsWith("image/")) return imageBlock(data, mediaType);
  const medium = readMedium(data, mediaType);
  const title = filename === undefined ? {} : { title: filename };
  if (medium.type === "url") return { type: "document", source: { type: "url", url: medium.url }, ...title };
  if (mediaType === "application/pdf") {
    return { type: "document", source: { type: "base64", media_type: "application/pdf", data: medium.data }, ...title };
  }
  if (!mediaType.startsWith("text/"))
    throw new ContextError("part-unsupported", { provider: "Anthropic", part: mediaType });
  const bytes = Uint8Array.from(atob(medium.data), (sign) => sign.charCodeAt(0));
  const text = new TextDecoder().decode(bytes);
  return { type: "document", source: { type: "text", media_type: "text/plain", data: text }, ...title };
}

function unsupported({ type }: { readonly type: string }): ContextError {
  return new ContextError("part-unsupported", { provider: "Anthropic", part: type });
}
