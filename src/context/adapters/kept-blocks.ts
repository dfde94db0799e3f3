import type { JsonValue, Part, ToolCallPart, ToolResultPart } from "../conversation/message.ts";

type Owner = "anthropic" | "openai";
type Block = { readonly [key: string]: JsonValue };

/**
 * A call that the provider ran itself. The block stays as it arrived, so that the next request can return it byte for
 * byte.
 */
export function keepCall(provider: Owner, block: object): ToolCallPart {
  const fields = block as Block;
  return {
    type: "tool-call",
    toolCallId: textOf(fields.id) ?? textOf(fields.call_id) ?? textOf(fields.type) ?? provider,
    toolName: textOf(fields.name) ?? textOf(fields.type) ?? provider,
    input: fields.input ?? fields.action ?? {},
    providerExecuted: true,
    providerOptions: { holdfast: { provider, block: { ...fields } } },
  };
}

/** The result of such a call, which is part of the reply and not of a tool message. */
export function keepResult(provider: Owner, block: object): ToolResultPart {
  const fields = block as Block;
  return {
    type: "tool-result",
    toolCallId: textOf(fields.tool_use_id) ?? provider,
    toolName: textOf(fields.type) ?? provider,
    output: { type: "json", value: { ...fields } },
    providerOptions: { holdfast: { provider } },
  };
}

/**
 * The block of a part that was kept, in a list that is empty if another provider made it: no other provider accepts it.
 * Null if the part was not kept.
 */
export function keptBlocks(part: Part, provider: Owner): JsonValue[] | null {
  if (part.type !== "tool-call" && part.type !== "tool-result") return null;
  const { provider: owner, block = null } = part.providerOptions?.holdfast ?? {};
  if (owner === undefined) return null;
  if (owner !== provider) return [];
  if (part.type === "tool-call") return [block];
  return part.output.type === "json" ? [part.output.value] : [];
}

export function isKept(part: Part): boolean {
  return keptBlocks(part, "anthropic") !== null;
}

function textOf(value: JsonValue | undefined): string | null {
  return typeof value === "string" && value !== "" ? value : null;
}
