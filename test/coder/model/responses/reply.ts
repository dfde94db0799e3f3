import { randomUUID } from "node:crypto";
import { named, type StreamEvent } from "../../../clients/loopback-server.ts";
import type { ModelReply } from "../answer.ts";
import { type Fields, inPieces, list, seal } from "../json.ts";
import { errorOf } from "../openai-errors.ts";
import type { HttpErrorKind, Usage, WholeReply } from "../wire.ts";
import { storeItems } from "./stored-items.ts";

interface Item extends Fields {
  readonly id: string;
  readonly type: string;
}

/** What a reasoning item must come back with where the provider has not stored it. */
export function encryptedContent(id: string): string {
  return seal(`reasoning ${id}`);
}

/** An item that was made after reasoning tells by its id which reasoning it needs. */
export function reasoningOf(id: string): string | undefined {
  const origin = /^(?:msg|fc)_after_([0-9a-f]+)_/.exec(id)?.[1];
  return origin && `rs_${origin}`;
}

export function responsesReply(reply: ModelReply, body: Fields, usage: Usage): WholeReply {
  const { thinking, text, calls = [] } = reply;
  const origin = shortId();
  const after = thinking === undefined ? "" : `after_${origin}_`;
  const items: Item[] = [
    ...(thinking === undefined ? [] : [reasoningItem(`rs_${origin}`, thinking, body)]),
    ...(text === undefined
      ? []
      : [messageItem(`msg_${after}${shortId()}`, { type: "output_text", text, annotations: [] })]),
    ...calls.map(({ name, input }) => ({
      type: "function_call",
      id: `fc_${after}${shortId()}`,
      call_id: `call_${shortId()}`,
      name,
      arguments: JSON.stringify(input),
      status: "completed",
    })),
  ];
  return whole(items, reply.stop === "length", body, usage);
}

export function responsesRefusal(body: Fields, usage: Usage): WholeReply {
  const part = { type: "refusal", refusal: "I'm sorry, I can't help with that." };
  return whole([messageItem(`msg_${shortId()}`, part)], false, body, usage);
}

export function responsesStreamError(kind: HttpErrorKind, { model }: Fields): string {
  const { code, message } = errorOf(kind);
  const error = { code: code ?? "server_error", message };
  const response = {
    id: `resp_${shortId()}`,
    object: "response",
    model,
    status: "failed",
    error,
    output: [],
    usage: null,
  };
  return named({ type: "response.failed", sequence_number: 99, response });
}

function shortId(): string {
  return randomUUID().replaceAll("-", "").slice(0, 16);
}

function reasoningItem(id: string, text: string, { include }: Fields): Item {
  const isAsked = list(include).includes("reasoning.encrypted_content");
  const sealed = isAsked ? { encrypted_content: encryptedContent(id) } : {};
  return { type: "reasoning", id, summary: [{ type: "summary_text", text }], ...sealed };
}

function messageItem(id: string, part: object): Item {
  return { type: "message", id, role: "assistant", status: "completed", content: [part] };
}

function whole(items: readonly Item[], isCutShort: boolean, body: Fields, spent: Usage): WholeReply {
  if (body.store !== false) storeItems(items);
  const head = {
    id: `resp_${shortId()}`,
    object: "response",
    created_at: 1_700_000_000,
    model: body.model,
    error: null,
  };
  const usage = {
    input_tokens: spent.input,
    input_tokens_details: { cached_tokens: spent.cacheRead },
    output_tokens: spent.output,
    output_tokens_details: { reasoning_tokens: 0 },
    total_tokens: spent.input + spent.output,
  };
  const status = isCutShort ? "incomplete" : "completed";
  const incomplete_details = isCutShort ? { reason: "max_output_tokens" } : null;
  const value = { ...head, status, incomplete_details, output: items, usage };
  const started = { ...head, status: "in_progress", incomplete_details: null, output: [], usage: null };
  const events: StreamEvent[] = [
    { type: "response.created", response: started },
    { type: "response.in_progress", response: started },
    ...items.flatMap(itemEvents),
    { type: `response.${status}`, response: value },
  ];
  return { value, frames: events.map((event, sequence_number) => named({ ...event, sequence_number })) };
}

function itemEvents(item: Item, output_index: number): StreamEvent[] {
  return [
    { type: "response.output_item.added", output_index, item: emptied(item) },
    ...contentEvents(item).map((event) => ({ ...event, item_id: item.id, output_index })),
    { type: "response.output_item.done", output_index, item },
  ];
}

function emptied(item: Item): Item {
  if (item.type === "reasoning") return { ...item, summary: [] };
  if (item.type === "message") return { ...item, status: "in_progress", content: [] };
  return { ...item, status: "in_progress", arguments: "" };
}

function contentEvents(item: Item): StreamEvent[] {
  if (item.type === "function_call") {
    const words = String(item.arguments);
    return [
      ...inPieces(words).map((delta) => ({ type: "response.function_call_arguments.delta", delta })),
      { type: "response.function_call_arguments.done", arguments: words },
    ];
  }
  const part = list(item.content ?? item.summary)[0] as { type: string; text?: string; refusal?: string };
  if (item.type === "reasoning") return partEvents("reasoning_summary", "summary_index", part, part.text ?? "");
  return partEvents("content", "content_index", part, part.text ?? part.refusal ?? "");
}

function partEvents(kind: string, index: string, part: { type: string }, words: string): StreamEvent[] {
  const field = part.type === "refusal" ? "refusal" : "text";
  const name = part.type === "summary_text" ? "reasoning_summary_text" : part.type;
  const at = { [index]: 0 };
  return [
    { type: `response.${kind}_part.added`, ...at, part: { ...part, [field]: "" } },
    ...inPieces(words).map((delta) => ({ type: `response.${name}.delta`, ...at, delta })),
    { type: `response.${name}.done`, ...at, [field]: words },
    { type: `response.${kind}_part.done`, ...at, part },
  ];
}
