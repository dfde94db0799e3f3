import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";

export type Body = Readonly<Record<string, unknown>>;

/** A server on loopback that speaks as a provider would. */
export interface ModelServer {
  readonly url: string;
  /** What was sent, in order. */
  readonly requests: Body[];
  close(): Promise<void>;
}

/** Answers the n-th request with what the script says. */
export async function startModelServer(script: (n: number, body: Body) => unknown): Promise<ModelServer> {
  const requests: Body[] = [];
  const server = createServer(async (request, response) => {
    const pieces: Buffer[] = [];
    for await (const piece of request) pieces.push(piece);
    const body = JSON.parse(Buffer.concat(pieces).toString("utf8")) as Body;
    requests.push(body);
    response.writeHead(200, { "content-type": "application/json" });
    response.end(JSON.stringify(script(requests.length - 1, body)));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  return { url: `http://127.0.0.1:${port}`, requests, close: () => closed(server) };
}

function closed(server: Server): Promise<void> {
  server.closeAllConnections();
  return new Promise((resolve) => server.close(() => resolve()));
}

/** What a provider might count for a prompt. */
function promptTokens(body: Body): number {
  return Math.ceil(JSON.stringify([body.system, body.instructions, body.messages, body.input]).length / 5);
}

/** A reply of Anthropic's Messages API. */
export function anthropicReply(body: Body, content: readonly object[], more: object = {}): object {
  const calls = content.some((block) => "type" in block && block.type === "tool_use");
  return {
    id: "msg_1",
    type: "message",
    role: "assistant",
    model: "claude-sonnet-4-5",
    content,
    stop_reason: calls ? "tool_use" : "end_turn",
    stop_sequence: null,
    usage: {
      input_tokens: promptTokens(body),
      output_tokens: 10,
      cache_creation_input_tokens: 0,
      cache_read_input_tokens: 0,
    },
    ...more,
  };
}
