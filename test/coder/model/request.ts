import type { Fields } from "./json.ts";
import type { CacheUse } from "./prompt-cache.ts";
import type { Prefix } from "./repeated-bytes.ts";

/** A request as every provider's could be told. */
export interface ModelRequest extends Conversation {
  readonly body: Fields;
  readonly headers: Readonly<Record<string, string>>;
  readonly cache: CacheUse;
  readonly prefix: Prefix;
}

export interface Conversation {
  readonly system: string;
  readonly messages: readonly Message[];
  /** The names of the tools that the model may call. */
  readonly tools: readonly string[];
}

/** Results of tools are a message of their own, whatever the provider wraps them in. */
export interface Message {
  readonly role: "user" | "assistant" | "tool";
  readonly text: string;
  readonly thinking: string;
  readonly calls: readonly MessageCall[];
  readonly results: readonly MessageResult[];
}

export interface MessageCall {
  readonly id: string;
  readonly name: string;
  readonly input: unknown;
}

export interface MessageResult {
  readonly id: string;
  readonly text: string;
  /** Only Anthropic has a field for it. */
  readonly isError: boolean;
}

export type MessagePart =
  | { readonly type: "text"; readonly text: string }
  | { readonly type: "thinking"; readonly text: string }
  | ({ readonly type: "call" } & MessageCall)
  | ({ readonly type: "result" } & MessageResult);

/** Puts parts of the same role together, in order. */
export function gather(parts: readonly (readonly [role: "user" | "assistant", part: MessagePart])[]): Message[] {
  const messages: Message[] = [];
  for (const [speaker, part] of parts) {
    const role = part.type === "result" ? "tool" : speaker;
    const last = messages.at(-1);
    const isSame = last?.role === role;
    const into: Message = isSame ? last : { role, text: "", thinking: "", calls: [], results: [] };
    const next = withPart(into, part);
    if (isSame) messages.pop();
    messages.push(next);
  }
  return messages;
}

function withPart(message: Message, part: MessagePart): Message {
  switch (part.type) {
    case "text":
      return { ...message, text: [message.text, part.text].filter(Boolean).join("\n") };
    case "thinking":
      return { ...message, thinking: message.thinking + part.text };
    case "call": {
      const { id, name, input } = part;
      return { ...message, calls: [...message.calls, { id, name, input }] };
    }
    case "result": {
      const { id, text, isError } = part;
      return { ...message, results: [...message.results, { id, text, isError }] };
    }
  }
}
