import { randomUUID } from "node:crypto";
import { type ClaudeRequest, claudeRequest } from "./claude-request.ts";
import type { Answer, Answering, StreamEvent } from "./loopback-server.ts";
import type { Reply } from "./reply.ts";

export type ClaudeScript = (request: ClaudeRequest) => ScriptedAnswer | Promise<ScriptedAnswer>;

export type ScriptedAnswer = Reply | Rejection | Garbage;

/** What a provider answers that does not let the model speak. */
export interface Rejection {
  readonly status: number;
  readonly error: { readonly type: string; readonly message: string };
  readonly headers?: Readonly<Record<string, string>>;
}

/** What only looks like an answer. */
export interface Garbage {
  readonly bytes: string;
}

/** Answers Claude Code as the script says, and notes every request for a message. */
export function claudeAnswering(script: ClaudeScript, requests: ClaudeRequest[]): Answering {
  return async (path, body) => {
    if (path === "/v1/messages/count_tokens") return roughCount(body);
    if (path !== "/v1/messages") return null;
    const request = claudeRequest.parse(body);
    requests.push(request);
    const answer = await script(request);
    if ("bytes" in answer) return { type: "bytes", body: answer.bytes };
    if ("status" in answer) {
      const { status, error, headers } = answer;
      return { type: "json", status, value: { type: "error", error }, ...(headers && { headers }) };
    }
    const message = messageOf(answer, request.model);
    if (request.stream) return { type: "stream", events: messageEvents(message) };
    return { type: "json", status: 200, value: message };
  };
}

/** Four characters to a token: near enough for a program that only asks how much room is left. */
function roughCount(body: unknown): Answer {
  return { type: "json", status: 200, value: { input_tokens: Math.ceil(JSON.stringify(body).length / 4) } };
}

type Block =
  | { readonly type: "text"; readonly text: string }
  | { readonly type: "tool_use"; readonly id: string; readonly name: string; readonly input: object };

interface Message {
  readonly id: string;
  readonly type: "message";
  readonly role: "assistant";
  readonly model: string;
  readonly content: readonly Block[];
  readonly stop_reason: "end_turn" | "tool_use" | "refusal";
  readonly stop_sequence: null;
  readonly usage: { readonly input_tokens: number; readonly output_tokens: number };
}

function messageOf({ text, calls = [], inputTokens = 1_000, refuses = false }: Reply, model: string): Message {
  const words: Block[] = text === undefined ? [] : [{ type: "text", text }];
  const uses = calls.map((call): Block => ({ type: "tool_use", id: `toolu_${randomUUID()}`, ...call }));
  return {
    id: `msg_${randomUUID()}`,
    type: "message",
    role: "assistant",
    model,
    content: [...words, ...uses],
    stop_reason: refuses ? "refusal" : uses.length > 0 ? "tool_use" : "end_turn",
    stop_sequence: null,
    usage: { input_tokens: inputTokens, output_tokens: 10 },
  };
}

function messageEvents(message: Message): StreamEvent[] {
  const { stop_reason, stop_sequence, usage } = message;
  return [
    { type: "message_start", message: { ...message, content: [], stop_reason: null } },
    ...message.content.flatMap(blockEvents),
    { type: "message_delta", delta: { stop_reason, stop_sequence }, usage },
    { type: "message_stop" },
  ];
}

function blockEvents(block: Block, index: number): StreamEvent[] {
  return [
    { type: "content_block_start", index, content_block: emptied(block) },
    { type: "content_block_delta", index, delta: deltaOf(block) },
    { type: "content_block_stop", index },
  ];
}

/** A block starts empty; its content comes as a delta. */
function emptied(block: Block): Block {
  return block.type === "text" ? { ...block, text: "" } : { ...block, input: {} };
}

function deltaOf(block: Block): StreamEvent {
  if (block.type === "text") return { type: "text_delta", text: block.text };
  return { type: "input_json_delta", partial_json: JSON.stringify(block.input) };
}
