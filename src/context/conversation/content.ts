import { ContextError } from "./context-error.ts";
import { copyJson, NotJson } from "./copy.ts";
import {
  type AssistantPart,
  type JsonValue,
  type ModelMessage,
  type Part,
  type ProviderOptions,
  type Role,
  roles,
} from "./message.ts";

type Fields = { [key: string]: JsonValue };

export interface ReadOptions {
  /** The reply was cut off by its length limit; its calls are incomplete and must not be run. */
  readonly truncated?: boolean;
  readonly providerOptions?: ProviderOptions;
}

/** Parses an incoming message into an independent copy; null if it is empty. */
export function readMessage(role: string, content: unknown, options: ReadOptions = {}): ModelMessage | null {
  if (!isRole(role)) throw new ContextError("role-unknown", { role: String(role) });
  const json = readJson(role, content);
  const extra = options.providerOptions && { providerOptions: readJson(role, options.providerOptions) };
  if (typeof json === "string") return json.trim() === "" ? null : build(role, json.trim(), extra);
  if (!Array.isArray(json)) throw invalid(role, "is neither text nor a list of parts");
  const parts = json.map((part, index) => readPart(role, part, index)).filter((part) => !isBlank(part));
  const whole = role === "assistant" && options.truncated === true ? withoutCalls(parts as AssistantPart[]) : parts;
  if (role === "system") return readMessage(role, whole.map((part) => ("text" in part ? part.text : "")).join("\n"));
  return isEmpty(whole) ? null : build(role, whole, extra);
}

function isRole(role: unknown): role is Role {
  return roles.some((known) => known === role);
}

function build(role: Role, content: string | Part[], extra: object | undefined): ModelMessage {
  if (role === "tool" && typeof content === "string") throw invalid(role, "names no call; give a tool-result part");
  return { role, content, ...extra } as ModelMessage;
}

function readJson(role: string, value: unknown): JsonValue {
  try {
    return copyJson(value);
  } catch (error) {
    if (error instanceof NotJson) throw invalid(role, error.message);
    throw error;
  }
}

const partTypes: { readonly [R in Role]: readonly string[] } = {
  system: ["text"],
  user: ["text", "image", "file"],
  assistant: ["text", "file", "reasoning", "tool-call", "tool-result"],
  tool: ["tool-result"],
};
const knownTypes = new Set(Object.values(partTypes).flat());

/** Checks the part types that the library uses; unknown types are kept as they are. */
function readPart(role: Role, part: JsonValue, index: number): Part {
  const problem = (text: string) => invalid(role, `is wrong in part ${index}: ${text}`);
  if (!isFields(part) || typeof part.type !== "string") throw problem("it has no type");
  const { type } = part;
  if (!partTypes[role].includes(type) && (knownTypes.has(type) || role === "system" || role === "tool")) {
    throw problem(`a ${type} cannot stand there`);
  }
  const missing = (requiredTexts[type] ?? []).find((key) => typeof part[key] !== "string");
  if (missing !== undefined) throw problem(`its ${missing} is not text`);
  if (type === "tool-call" || type === "tool-result") {
    if (part.toolCallId === "" || part.toolName === "") throw problem("its id or its name is empty");
  }
  if (type === "tool-call" && part.input === undefined) return { ...part, input: {} } as unknown as Part;
  if (type === "tool-result") checkOutput(part.output, problem);
  return part as unknown as Part;
}

const requiredTexts: Readonly<Record<string, readonly string[]>> = {
  text: ["text"],
  reasoning: ["text"],
  image: ["image"],
  file: ["data", "mediaType"],
  "tool-call": ["toolCallId", "toolName"],
  "tool-result": ["toolCallId", "toolName"],
};

function checkOutput(output: JsonValue | undefined, problem: (text: string) => ContextError): void {
  if (!isFields(output) || typeof output.type !== "string") throw problem("its output has no type");
  const { type, value } = output;
  if (type === "execution-denied") return;
  if (type === "text" || type === "error-text") {
    if (typeof value !== "string") throw problem("its output is not text");
  } else if (type === "json" || type === "error-json") {
    if (value === undefined) throw problem("its output has no value");
  } else if (type !== "content" || !isOutputParts(value)) throw problem("its output is of no known kind");
}

function isOutputParts(value: JsonValue | undefined): boolean {
  if (!Array.isArray(value)) return false;
  return value.every((part) => isFields(part) && (part.type === "text" ? typeof part.text === "string" : true));
}

/** Drops empty text, unless a provider has attached metadata to it. */
function isBlank(part: Part): boolean {
  return part.type === "text" && part.text.trim() === "" && part.providerOptions === undefined;
}

/** Providers reject a message that consists only of thoughts, so it counts as empty. */
function isEmpty(parts: readonly Part[]): boolean {
  return parts.every((part) => part.type === "reasoning" || (part.type === "text" && part.text.trim() === ""));
}

/** What the provider's own tools did stays, except for a call at the end that has no result. */
function withoutCalls(parts: readonly AssistantPart[]): AssistantPart[] {
  const left = parts.filter((part) => part.type !== "tool-call" || part.providerExecuted === true);
  const end = left.findLastIndex((part) => part.type !== "reasoning" && part.type !== "tool-call");
  return left.slice(0, end + 1);
}

function isFields(value: JsonValue | undefined): value is Fields {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function invalid(role: string, problem: string): ContextError {
  return new ContextError("content-invalid", { role, problem });
}
