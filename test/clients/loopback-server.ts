import { createServer, type IncomingHttpHeaders, type IncomingMessage, type ServerResponse } from "node:http";

/** What a server answers, as data. */
export type Answer =
  | {
      readonly type: "json";
      readonly status: number;
      readonly value: unknown;
      readonly headers?: Readonly<Record<string, string>>;
    }
  | { readonly type: "stream"; readonly events: readonly StreamEvent[] }
  /** Events without a name, and a last one that says so, as chat completions are streamed. */
  | { readonly type: "chunks"; readonly chunks: readonly object[] }
  /** A stream that is none: these bytes, whatever they are. */
  | { readonly type: "bytes"; readonly body: string }
  | Pieces;

/** A body that is written piece by piece, and how it ends: as it should, with a lost connection, or not at all. */
interface Pieces {
  readonly type: "pieces";
  readonly headers: Readonly<Record<string, string>>;
  readonly pieces: readonly string[];
  readonly end: "end" | "cut" | "hang";
}

/** One server-sent event; its type is also its name. */
export interface StreamEvent {
  readonly type: string;
  readonly [field: string]: unknown;
}

/** The answer to what was posted to this path, or null where nothing is served. What is only read has no body. */
export type Answering = (path: string, body: unknown, headers: IncomingHttpHeaders) => Promise<Answer | null>;

export interface LoopbackServer {
  readonly url: string;
  close(): void;
}

/** A server on loopback, on a port that was free. */
export async function listenOnLoopback(answering: Answering): Promise<LoopbackServer> {
  const server = createServer((request, response) => void respond(answering, request, response));
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const address = server.address();
  if (address === null || typeof address === "string") throw new Error("a server on a port has an address");
  return {
    url: `http://127.0.0.1:${address.port}`,
    close() {
      server.close();
      server.closeAllConnections();
    },
  };
}

async function respond(answering: Answering, request: IncomingMessage, response: ServerResponse): Promise<void> {
  const answer = await answerTo(answering, request);
  if (answer.type === "json") {
    response.writeHead(answer.status, { "content-type": "application/json", ...answer.headers });
    response.end(JSON.stringify(answer.value));
    return;
  }
  if (answer.type === "pieces") return await writePieces(answer, response);
  response.writeHead(200, { "content-type": "text/event-stream" });
  if (answer.type === "bytes") response.end(answer.body);
  else response.end(answer.type === "stream" ? answer.events.map(named).join("") : chunked(answer.chunks));
}

/** Every piece comes in two halves, which may split a character. Without a piece there are no headers either. */
async function writePieces({ headers, pieces, end }: Pieces, response: ServerResponse): Promise<void> {
  if (pieces.length > 0 || end === "end") response.writeHead(200, headers).flushHeaders();
  for (const half of pieces.flatMap(halves)) {
    if (response.destroyed) return;
    await new Promise<void>((resolve) => response.write(half, () => resolve()));
  }
  if (end === "end") response.end();
  if (end === "cut") response.destroy();
}

function halves(piece: string): Buffer[] {
  const bytes = Buffer.from(piece);
  const middle = bytes.length >> 1;
  return [bytes.subarray(0, middle), bytes.subarray(middle)];
}

export function named(event: StreamEvent): string {
  return `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`;
}

function chunked(chunks: readonly object[]): string {
  return [...chunks.map((chunk) => JSON.stringify(chunk)), "[DONE]"].map((line) => `data: ${line}\n\n`).join("");
}

/** A script that throws is answered with 400: both programs give up on it at once and show its message. */
async function answerTo(answering: Answering, request: IncomingMessage): Promise<Answer> {
  try {
    const path = new URL(request.url ?? "/", "http://loopback").pathname;
    const body = await read(request);
    const answer = await answering(path, request.method === "POST" ? JSON.parse(body) : null, request.headers);
    return answer ?? failure(404, `nothing is served at ${request.method} ${path}`);
  } catch (error) {
    return failure(400, error instanceof Error ? (error.stack ?? error.message) : String(error));
  }
}

async function read(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk);
  return Buffer.concat(chunks).toString();
}

function failure(status: number, message: string): Answer {
  const error = { type: "invalid_request_error", message };
  return { type: "json", status, value: { type: "error", error } };
}
