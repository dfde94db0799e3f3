/** The AI SDK's message types, written structurally, so that contexts work with it without depending on it. */
export type ModelMessage = SystemMessage | UserMessage | AssistantMessage | ToolMessage;
export type Role = ModelMessage["role"];
export const roles: readonly Role[] = ["system", "user", "assistant", "tool"];

export type SystemMessage = { role: "system"; content: string; providerOptions?: ProviderOptions };
export type UserMessage = { role: "user"; content: string | UserPart[]; providerOptions?: ProviderOptions };
export type AssistantMessage = {
  role: "assistant";
  content: string | AssistantPart[];
  providerOptions?: ProviderOptions;
};
export type ToolMessage = { role: "tool"; content: ToolPart[]; providerOptions?: ProviderOptions };

export type UserPart = TextPart | ImagePart | FilePart;
export type AssistantPart = TextPart | FilePart | ReasoningPart | ToolCallPart | ToolResultPart;
export type ToolPart = ToolResultPart;
export type Part = UserPart | AssistantPart | ToolPart;

export type JsonValue = null | string | number | boolean | JsonValue[] | { [key: string]: JsonValue };
export type ProviderOptions = Record<string, { [key: string]: JsonValue }>;

export interface TextPart {
  type: "text";
  text: string;
  providerOptions?: ProviderOptions;
}

export interface ImagePart {
  type: "image";
  /** A URL or base64. Bytes are converted to base64 when appended. */
  image: string;
  mediaType?: string;
  providerOptions?: ProviderOptions;
}

export interface FilePart {
  type: "file";
  data: string;
  filename?: string;
  mediaType: string;
  providerOptions?: ProviderOptions;
}

export interface ReasoningPart {
  type: "reasoning";
  text: string;
  providerOptions?: ProviderOptions;
}

export interface ToolCallPart {
  type: "tool-call";
  toolCallId: string;
  toolName: string;
  input: unknown;
  providerExecuted?: boolean;
  providerOptions?: ProviderOptions;
}

export interface ToolResultPart {
  type: "tool-result";
  toolCallId: string;
  toolName: string;
  output: ToolOutput;
  providerOptions?: ProviderOptions;
}

export type ToolOutput =
  | { type: "text"; value: string }
  | { type: "json"; value: JsonValue }
  | { type: "error-text"; value: string }
  | { type: "error-json"; value: JsonValue }
  | { type: "execution-denied"; reason?: string }
  | { type: "content"; value: OutputPart[] };

export type OutputPart =
  | { type: "text"; text: string }
  | { type: "image-data"; data: string; mediaType: string }
  | { type: "image-url"; url: string }
  | { type: "file-data"; data: string; mediaType: string; filename?: string }
  | { type: "file-url"; url: string };

/** The calls of a message that need a result from us; the provider runs its own tools itself. */
export function callsOf(message: ModelMessage): ToolCallPart[] {
  if (message.role !== "assistant" || typeof message.content === "string") return [];
  return message.content.filter((part) => part.type === "tool-call").filter((part) => part.providerExecuted !== true);
}

export function resultsOf(message: ModelMessage): ToolResultPart[] {
  return message.role === "tool" ? message.content.filter((part) => part.type === "tool-result") : [];
}

/** The plain text of a message, without calls, results, reasoning or media. */
export function wordsOf({ content }: ModelMessage): string {
  if (typeof content === "string") return content;
  return content.flatMap((part) => (part.type === "text" ? [part.text] : [])).join("\n");
}

/** A tool's output as one text. */
export function outputText(output: ToolOutput): string {
  switch (output.type) {
    case "text":
    case "error-text":
      return output.value;
    case "json":
    case "error-json":
      return JSON.stringify(output.value);
    case "execution-denied":
      return output.reason ?? "The call was denied.";
    case "content":
      return output.value.map((part) => (part.type === "text" ? part.text : `[${part.type}]`)).join("\n");
  }
}

export function isError({ type }: ToolOutput): boolean {
  return type === "error-text" || type === "error-json" || type === "execution-denied";
}
