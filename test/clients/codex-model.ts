import { randomUUID } from "node:crypto";
import { type CodexRequest, codexRequest, codexTools, fullName } from "./codex-request.ts";
import { serveLoopback } from "./loopback.ts";
import type { StreamEvent } from "./loopback-server.ts";
import type { Reply, ToolCall } from "./reply.ts";

export type CodexScript = (request: CodexRequest) => Reply | Promise<Reply>;

export interface CodexModel {
  readonly url: string;
  /** Every request for a response so far, in order of arrival. */
  readonly requests: readonly CodexRequest[];
}

/** A model on loopback that answers Codex as the script says, until the test ends. */
export async function startCodexModel(script: CodexScript): Promise<CodexModel> {
  const requests: CodexRequest[] = [];
  const url = await serveLoopback(async (path, body) => {
    if (path !== "/responses") return null;
    const request = codexRequest.parse(body);
    requests.push(request);
    return { type: "stream", events: responseEvents(await script(request), request) };
  });
  return { url, requests };
}

function responseEvents({ text, calls = [], inputTokens = 1_000 }: Reply, request: CodexRequest): StreamEvent[] {
  const id = `resp_${randomUUID()}`;
  const items = [...(text === undefined ? [] : [messageItem(text)]), ...calls.map((call) => callItem(call, request))];
  const usage = { input_tokens: inputTokens, output_tokens: 10, total_tokens: inputTokens + 10 };
  return [
    { type: "response.created", response: { id } },
    ...items.map((item) => ({ type: "response.output_item.done", item })),
    { type: "response.completed", response: { id, usage } },
  ];
}

function messageItem(text: string): object {
  return { type: "message", id: `msg_${randomUUID()}`, role: "assistant", content: [{ type: "output_text", text }] };
}

/** Codex takes a call only in the two parts in which it offers the tool: namespace and name. */
function callItem({ name, input }: ToolCall, request: CodexRequest): object {
  const offered = codexTools(request).find((tool) => fullName(tool) === name) ?? { name };
  return {
    type: "function_call",
    id: `fc_${randomUUID()}`,
    call_id: `call_${randomUUID()}`,
    ...offered,
    arguments: JSON.stringify(input),
  };
}
