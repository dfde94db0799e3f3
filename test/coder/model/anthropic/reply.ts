import { randomUUID } from "node:crypto";
import { named, type StreamEvent } from "../../../clients/loopback-server.ts";
import type { ModelReply } from "../answer.ts";
import { type Fields, inPieces, seal } from "../json.ts";
import type { Usage, WholeReply } from "../wire.ts";

type Block =
  | { readonly type: "thinking"; readonly thinking: string; readonly signature: string }
  | { readonly type: "text"; readonly text: string }
  | { readonly type: "tool_use"; readonly id: string; readonly name: string; readonly input: object };

/** The signature that a thought must come back with. */
export function signatureOf(thinking: string): string {
  return seal(`thinking ${thinking}`);
}

/** A call tells by its id which thought it came from, so that a missing thought is noticed, whoever kept the conversation. */
export function thoughtOf(id: string): string | undefined {
  return /^toolu_after_(.{12})_/.exec(id)?.[1];
}

export function anthropicReply(reply: ModelReply, body: Fields, usage: Usage): WholeReply {
  const content = contentOf(reply);
  const calls = reply.calls?.length ?? 0;
  const reason = reply.stop === "length" ? "max_tokens" : calls > 0 ? "tool_use" : "end_turn";
  return whole(content, reason, body, usage);
}

export function anthropicRefusal(body: Fields, usage: Usage): WholeReply {
  return whole([], "refusal", body, usage);
}

function contentOf({ thinking, text, calls = [] }: ModelReply): Block[] {
  const signature = thinking === undefined ? "" : signatureOf(thinking);
  const origin = signature === "" ? "" : `after_${signature.slice(0, 12)}_`;
  return [
    ...(thinking === undefined ? [] : [{ type: "thinking" as const, thinking, signature }]),
    ...(text === undefined ? [] : [{ type: "text" as const, text }]),
    ...calls.map((call) => ({ type: "tool_use" as const, id: `toolu_${origin}${shortId()}`, ...call })),
  ];
}

function shortId(): string {
  return randomUUID().replaceAll("-", "").slice(0, 14);
}

function whole(content: readonly Block[], stop_reason: string, { model }: Fields, usage: Usage): WholeReply {
  const spent = {
    input_tokens: Math.max(0, usage.input - usage.cacheRead - usage.cacheWritten),
    cache_creation_input_tokens: usage.cacheWritten,
    cache_read_input_tokens: usage.cacheRead,
  };
  const head = { id: `msg_${shortId()}`, type: "message", role: "assistant", model, stop_sequence: null };
  const value = { ...head, content, stop_reason, usage: { ...spent, output_tokens: usage.output } };
  const start = { ...head, content: [], stop_reason: null, usage: { ...spent, output_tokens: 1 } };
  const events: StreamEvent[] = [
    { type: "message_start", message: start },
    { type: "ping" },
    ...content.flatMap(blockEvents),
    {
      type: "message_delta",
      delta: { stop_reason, stop_sequence: null },
      usage: { ...spent, output_tokens: usage.output },
    },
    { type: "message_stop" },
  ];
  return { value, frames: events.map(named) };
}

function blockEvents(block: Block, index: number): StreamEvent[] {
  return [
    { type: "content_block_start", index, content_block: emptied(block) },
    ...deltas(block).flatMap((delta, at) => {
      const event = { type: "content_block_delta", index, delta };
      return at === 1 ? [{ type: "ping" }, event] : [event];
    }),
    { type: "content_block_stop", index },
  ];
}

function emptied(block: Block): object {
  if (block.type === "thinking") return { type: "thinking", thinking: "", signature: "" };
  return block.type === "text" ? { ...block, text: "" } : { ...block, input: {} };
}

/** The input of a call starts with an empty delta. */
function deltas(block: Block): object[] {
  switch (block.type) {
    case "thinking":
      return [
        ...inPieces(block.thinking).map((thinking) => ({ type: "thinking_delta", thinking })),
        { type: "signature_delta", signature: block.signature },
      ];
    case "text":
      return inPieces(block.text).map((text) => ({ type: "text_delta", text }));
    case "tool_use":
      return ["", ...inPieces(JSON.stringify(block.input))].map((partial_json) => ({
        type: "input_json_delta",
        partial_json,
      }));
  }
}
