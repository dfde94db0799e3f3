import { randomUUID } from "node:crypto";
import { type ChatRequest, chatRequest } from "./chat-request.ts";
import { serveLoopback } from "./loopback.ts";
import type { Answer } from "./loopback-server.ts";
import type { Reply } from "./reply.ts";

export type ChatScript = (request: ChatRequest) => Reply | Promise<Reply>;

export interface ChatModel {
  /** The base of the API: requests go to `/chat/completions` and `/models` below it. */
  readonly url: string;
  /** Every request for a completion so far, in order of arrival. */
  readonly requests: readonly ChatRequest[];
}

/** A model on loopback that answers with chat completions, as the script says, until the test ends. */
export async function startChatModel(script: ChatScript): Promise<ChatModel> {
  const requests: ChatRequest[] = [];
  const url = await serveLoopback(async (path, body) => {
    if (path === "/v1/models") return json({ object: "list", data: [{ id: "scripted", object: "model" }] });
    if (path !== "/v1/chat/completions") return null;
    const request = chatRequest.parse(body);
    requests.push(request);
    const completion = completionOf(await script(request), request.model);
    return request.stream ? { type: "chunks", chunks: chunksOf(completion) } : json(completion);
  });
  return { url: `${url}/v1`, requests };
}

function json(value: object): Answer {
  return { type: "json", status: 200, value };
}

interface Completion {
  readonly id: string;
  readonly object: "chat.completion";
  readonly created: number;
  readonly model: string;
  readonly choices: readonly [{ readonly index: 0; readonly message: Message; readonly finish_reason: string }];
  readonly usage: { readonly prompt_tokens: number; readonly completion_tokens: number; readonly total_tokens: number };
}

interface Message {
  readonly role: "assistant";
  readonly content: string | null;
  readonly tool_calls?: readonly object[];
}

function completionOf({ text, calls = [], inputTokens = 1_000 }: Reply, model: string): Completion {
  const uses = calls.map(({ name, input }) => ({
    id: `call_${randomUUID()}`,
    type: "function",
    function: { name, arguments: JSON.stringify(input) },
  }));
  const message: Message = {
    role: "assistant",
    content: text ?? null,
    ...(uses.length === 0 ? {} : { tool_calls: uses }),
  };
  return {
    id: `chatcmpl-${randomUUID()}`,
    object: "chat.completion",
    created: 0,
    model,
    choices: [{ index: 0, message, finish_reason: uses.length === 0 ? "stop" : "tool_calls" }],
    usage: { prompt_tokens: inputTokens, completion_tokens: 10, total_tokens: inputTokens + 10 },
  };
}

/** The message as one delta, then why it ends, then what it cost. */
function chunksOf({ choices, usage, ...rest }: Completion): object[] {
  const [{ message, finish_reason }] = choices;
  const head = { ...rest, object: "chat.completion.chunk" };
  const tool_calls = message.tool_calls?.map((call, index) => ({ index, ...call }));
  const delta = { ...message, ...(tool_calls === undefined ? {} : { tool_calls }) };
  return [
    { ...head, choices: [{ index: 0, delta, finish_reason: null }] },
    { ...head, choices: [{ index: 0, delta: {}, finish_reason }] },
    { ...head, choices: [], usage },
  ];
}
