import { ContextError } from "../conversation/context-error.ts";
import {
  type AssistantMessage,
  type AssistantPart,
  type JsonValue,
  type ModelMessage,
  outputText,
  type ReasoningPart,
  type TextPart,
  type ToolResultPart,
  type UserPart,
} from "../conversation/message.ts";
import { keptBlocks } from "./kept-blocks.ts";
import { readMedium, wireId, wireName } from "./wire.ts";

type InputPart =
  | { type: "input_text"; text: string }
  | { type: "input_image"; detail: "auto"; image_url: string }
  | { type: "input_file"; filename: string; file_data: string }
  | { type: "input_file"; file_url: string };

type OutputPart = { type: "output_text"; text: string; annotations: never[] } | { type: "refusal"; refusal: string };

type Summary = { type: "summary_text"; text: string };

/** Items of tools that OpenAI runs itself are passed through as well; their types are the SDK's. */
export type OpenAiItem =
  | { type: "message"; role: "user" | "system" | "assistant"; content: string | InputPart[] }
  | { type: "message"; role: "assistant"; id: string; status: "completed"; content: OutputPart[] }
  | { type: "reasoning"; id: string; summary: Summary[]; encrypted_content: string }
  | { type: "function_call"; call_id: string; name: string; arguments: string; id?: string }
  | { type: "function_call_output"; call_id: string; output: string | InputPart[] };

/** The conversation part of a request to OpenAI's Responses API. */
export interface OpenAiResponsesBody {
  instructions?: string;
  input: OpenAiItem[];
}

const idLength = 64;

/**
 * Converts the result of `context.messages()`. The request must have `store: false` and
 * `include: ["reasoning.encrypted_content"]`: the conversation is ours, and so is its reasoning.
 */
export function toOpenAiResponses(messages: readonly ModelMessage[]): OpenAiResponsesBody {
  const [first, ...others] = messages;
  const system = first?.role === "system" ? first : null;
  const input = (system === null ? messages : others).flatMap(itemsOf);
  if (input.length === 0) throw new ContextError("request-empty", {});
  return { ...(system !== null && { instructions: system.content }), input };
}

function itemsOf(message: ModelMessage): OpenAiItem[] {
  switch (message.role) {
    case "system":
      return [{ type: "message", role: "system", content: message.content }];
    case "user": {
      const { content } = message;
      const parts = typeof content === "string" ? content : content.flatMap(userPart);
      return parts.length === 0 ? [] : [{ type: "message", role: "user", content: parts }];
    }
    case "assistant":
      return replyItems(message);
    case "tool":
      return message.content.map(resultItem);
  }
}

function userPart(part: UserPart): InputPart[] {
  if (part.type === "text") return part.text.trim() === "" ? [] : [{ type: "input_text", text: part.text }];
  if (part.type === "image") return [image(part.image, part.mediaType)];
  if (part.type !== "file") throw unsupported(part);
  return [file(part.data, part.mediaType, part.filename)];
}

function image(data: string, mediaType: string | undefined): InputPart {
  const medium = readMedium(data, mediaType);
  if (medium.type === "url") return { type: "input_image", detail: "auto", image_url: medium.url };
  const type = medium.mediaType.replace("/*", "/png");
  return { type: "input_image", detail: "auto", image_url: `data:${type};base64,${medium.data}` };
}

function file(data: string, mediaType: string, filename = "file"): InputPart {
  if (mediaType.startsWith("image/")) return image(data, mediaType);
  const medium = readMedium(data, mediaType);
  if (medium.type === "url") return { type: "input_file", file_url: medium.url };
  return { type: "input_file", filename, file_data: `data:${medium.mediaType};base64,${medium.data}` };
}

/**
 * The API wants reasoning to be followed by what it led to, and an item that has an id to come with its reasoning. So
 * reasoning at the end is left out, and where reasoning is missing the ids are, too.
 */
function replyItems({ content }: AssistantMessage): OpenAiItem[] {
  if (typeof content === "string") return [{ type: "message", role: "assistant", content }];
  const isWhole = content.every((part) => part.type !== "reasoning" || encrypted(part) !== null);
  const items = content.reduce<OpenAiItem[]>((before, part) => addItem(before, part, isWhole), []);
  return items.slice(0, items.findLastIndex(({ type }) => type !== "reasoning") + 1);
}

function addItem(items: OpenAiItem[], part: AssistantPart, isWhole: boolean): OpenAiItem[] {
  const kept = keptBlocks(part, "openai");
  if (kept !== null) return [...items, ...(kept as unknown as OpenAiItem[])];
  const id = isWhole ? openAi(part, "itemId") : null;
  if (part.type === "reasoning") return addThought(items, part);
  if (part.type === "text") return addWords(items, part, id);
  if (part.type !== "tool-call" || part.providerExecuted === true) throw unsupported(part);
  const call = { call_id: wireId(part.toolCallId, idLength), name: wireName(part.toolName) };
  const words = JSON.stringify(part.input);
  return [...items, { type: "function_call", ...call, arguments: words, ...(id !== null && { id }) }];
}

/** One item may have several summaries, each of them a part of its own. */
function addThought(items: OpenAiItem[], part: ReasoningPart): OpenAiItem[] {
  const encryptedContent = encrypted(part);
  const id = openAi(part, "itemId");
  if (encryptedContent === null || id === null) return items;
  const summary: Summary[] = part.text === "" ? [] : [{ type: "summary_text", text: part.text }];
  const last = items.at(-1);
  if (last?.type === "reasoning" && last.id === id) {
    return [...items.slice(0, -1), { ...last, summary: [...last.summary, ...summary] }];
  }
  return [...items, { type: "reasoning", id, summary, encrypted_content: encryptedContent }];
}

function addWords(items: OpenAiItem[], part: TextPart, id: string | null): OpenAiItem[] {
  const { text, providerOptions } = part;
  if (text.trim() === "") return items;
  const { annotations, phase, refusal } = providerOptions?.openai ?? {};
  const extra = phase === undefined ? {} : { phase };
  if (id === null) return [...items, { type: "message", role: "assistant", content: text, ...extra }];
  const said = { type: "output_text", text, annotations: (annotations ?? []) as never[] } as const;
  const content: OutputPart = refusal === true ? { type: "refusal", refusal: text } : said;
  const last = items.at(-1);
  if (last?.type === "message" && "id" in last && last.id === id) {
    return [...items.slice(0, -1), { ...last, content: [...last.content, content] }];
  }
  return [...items, { type: "message", role: "assistant", id, status: "completed", content: [content], ...extra }];
}

function resultItem({ toolCallId, output }: ToolResultPart): OpenAiItem {
  const call = { type: "function_call_output", call_id: wireId(toolCallId, idLength) } as const;
  if (output.type !== "content" || output.value.every(({ type }) => type === "text")) {
    return { ...call, output: outputText(output) };
  }
  const parts = output.value.flatMap((part): InputPart[] => {
    switch (part.type) {
      case "text":
        return part.text.trim() === "" ? [] : [{ type: "input_text", text: part.text }];
      case "image-data":
        return [image(part.data, part.mediaType)];
      case "image-url":
        return [image(part.url, undefined)];
      case "file-data":
        return [file(part.data, part.mediaType, part.filename)];
      case "file-url":
        return [{ type: "input_file", file_url: part.url }];
      default:
        throw unsupported(part);
    }
  });
  return { ...call, output: parts };
}

function encrypted(part: ReasoningPart): string | null {
  return openAi(part, "reasoningEncryptedContent");
}

/** The names are the AI SDK's, so that its replies can be sent on here, and the other way round. */
function openAi({ providerOptions }: AssistantPart, name: "itemId" | "reasoningEncryptedContent"): string | null {
  const value: JsonValue | undefined = providerOptions?.openai?.[name];
  return typeof value === "string" ? value : null;
}

function unsupported({ type }: { readonly type: string }): ContextError {
  return new ContextError("part-unsupported", { provider: "OpenAI", part: type });
}
