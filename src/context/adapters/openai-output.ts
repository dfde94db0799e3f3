import { ContextError } from "../conversation/context-error.ts";
import type { AssistantPart, JsonValue } from "../conversation/message.ts";
import { keepCall } from "./kept-blocks.ts";
import { parseArguments, type ReplyBlock } from "./replies.ts";

type KnownItem =
  | {
      readonly type: "message";
      readonly id: string;
      readonly content: readonly Content[];
      readonly phase?: string | null;
    }
  | {
      readonly type: "reasoning";
      readonly id: string;
      readonly summary: readonly { readonly text: string }[];
      readonly encrypted_content?: string | null;
    }
  | {
      readonly type: "function_call";
      readonly id?: string;
      readonly call_id: string;
      readonly name: string;
      readonly arguments: string;
    };

type Content =
  | { readonly type: "output_text"; readonly text: string; readonly annotations?: JsonValue[] }
  | { readonly type: "refusal"; readonly refusal: string };

/** Calls that wait for a result from us, in a form that only the API's own tools have. */
const unanswerable: readonly string[] = [
  ...["custom_tool_call", "computer_call", "local_shell_call", "shell_call", "apply_patch_call"],
  "mcp_approval_request",
];

/**
 * Converts `response.output` of OpenAI's Responses API for `append("assistant", ...)`. Reasoning keeps its encrypted
 * content, and what OpenAI's own tools did is kept as it is.
 */
export function fromOpenAiResponses(output: readonly ReplyBlock[]): AssistantPart[] {
  return output.flatMap((one): AssistantPart[] => {
    const item = one as KnownItem;
    switch (item.type) {
      case "message":
        return item.content.map((content) => words(item, content));
      case "reasoning":
        return thoughts(item);
      case "function_call": {
        const call = { toolCallId: item.call_id, toolName: item.name, input: parseArguments(item.arguments) };
        return [{ type: "tool-call", ...call, ...options({ itemId: item.id }) }];
      }
      default:
        if (!unanswerable.includes(one.type)) return [keepCall("openai", one)];
        throw new ContextError("part-unsupported", { provider: "A context", part: one.type });
    }
  });
}

function words({ id, phase }: Extract<KnownItem, { type: "message" }>, content: Content): AssistantPart {
  const common = { itemId: id, phase: phase ?? undefined };
  if (content.type === "refusal") {
    return { type: "text", text: content.refusal, ...options({ ...common, refusal: true }) };
  }
  const annotations = content.annotations?.length === 0 ? undefined : content.annotations;
  return { type: "text", text: content.text, ...options({ ...common, annotations }) };
}

function thoughts({ id, summary, encrypted_content }: Extract<KnownItem, { type: "reasoning" }>): AssistantPart[] {
  const extra = options({ itemId: id, reasoningEncryptedContent: encrypted_content ?? undefined });
  const texts = summary.length === 0 ? [""] : summary.map(({ text }) => text);
  return texts.map((text) => ({ type: "reasoning", text, ...extra }));
}

function options(fields: Readonly<Record<string, JsonValue | undefined>>): Pick<AssistantPart, "providerOptions"> {
  const given = Object.entries(fields).flatMap(([key, value]) => (value === undefined ? [] : [[key, value] as const]));
  return given.length === 0 ? {} : { providerOptions: { openai: Object.fromEntries(given) } };
}
