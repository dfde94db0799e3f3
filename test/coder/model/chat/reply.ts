import { randomUUID } from "node:crypto";
import type { ModelReply } from "../answer.ts";
import { type Fields, fields, inPieces } from "../json.ts";
import { errorOf } from "../openai-errors.ts";
import type { HttpErrorKind, Usage, WholeReply } from "../wire.ts";

export function chatReply(reply: ModelReply, body: Fields, usage: Usage): WholeReply {
  const calls = (reply.calls ?? []).map(({ name, input }) => ({
    id: `call_${randomUUID().replaceAll("-", "").slice(0, 24)}`,
    type: "function",
    function: { name, arguments: JSON.stringify(input) },
  }));
  const message = {
    role: "assistant",
    content: reply.text ?? null,
    ...(reply.thinking === undefined ? {} : { reasoning_content: reply.thinking }),
    ...(calls.length === 0 ? {} : { tool_calls: calls }),
  };
  const deltas = [
    ...inPieces(reply.thinking ?? "").map((reasoning_content) => ({ reasoning_content })),
    ...inPieces(reply.text ?? "").map((content) => ({ content })),
    ...calls.flatMap((call, index) => [
      { tool_calls: [{ index, ...call, function: { name: call.function.name, arguments: "" } }] },
      ...inPieces(call.function.arguments).map((piece) => ({
        tool_calls: [{ index, function: { arguments: piece } }],
      })),
    ]),
  ];
  const reason = reply.stop === "length" ? "length" : calls.length > 0 ? "tool_calls" : "stop";
  return whole(message, deltas, reason, body, usage);
}

export function chatRefusal(body: Fields, usage: Usage): WholeReply {
  const refusal = "I'm sorry, I can't help with that.";
  const message = { role: "assistant", content: null, refusal };
  return whole(
    message,
    inPieces(refusal).map((piece) => ({ refusal: piece })),
    "stop",
    body,
    usage,
  );
}

export function chatStreamError(kind: HttpErrorKind): string {
  return frame({ error: errorOf(kind) });
}

/** What it cost comes last, in a chunk of its own, and only if the request asks for it. */
function whole(
  message: { content: string | null },
  deltas: object[],
  finish_reason: string,
  body: Fields,
  spent: Usage,
): WholeReply {
  const head = { id: `chatcmpl-${randomUUID()}`, created: 1_700_000_000, model: body.model };
  const usage = {
    prompt_tokens: spent.input,
    completion_tokens: spent.output,
    total_tokens: spent.input + spent.output,
    prompt_tokens_details: { cached_tokens: spent.cacheRead },
    completion_tokens_details: { reasoning_tokens: 0 },
  };
  const chunk = (choices: object[], more: object = {}) =>
    frame({ ...head, object: "chat.completion.chunk", choices, ...more });
  const start = { role: "assistant", content: message.content === null ? null : "" };
  const frames = [
    ...[start, ...deltas].map((delta) => chunk([{ index: 0, delta, finish_reason: null }])),
    chunk([{ index: 0, delta: {}, finish_reason }]),
    ...(fields(body.stream_options).include_usage === true ? [chunk([], { usage })] : []),
    "data: [DONE]\n\n",
  ];
  const choices = [{ index: 0, message, finish_reason }];
  return { value: { ...head, object: "chat.completion", choices, usage }, frames };
}

function frame(value: object): string {
  return `data: ${JSON.stringify(value)}\n\n`;
}
