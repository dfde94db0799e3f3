import { isUtf8 } from "node:buffer";
import type { Readable, Writable } from "node:stream";
import { type JSONRPCMessage, parseJSONRPCMessage, type Transport } from "@modelcontextprotocol/server";
import * as z from "zod";
import { createLineCutter, type Line } from "./lines.ts";

/** In bytes. As much as the SDK's own transport takes; what a tool is for is far shorter. */
const longestMessage = 10 * 1024 * 1024;
/** A client that leaves more than this unread is not read from either, until it reads. */
const mostUnread = 64 * 1024 * 1024;

/**
 * Messages as lines on standard input and output. The SDK's own transport says nothing to a line that is no message,
 * and hangs up on a long one; this one answers both as JSON-RPC has it, and goes on.
 */
export function openStdioTransport(input: Readable, output: Writable): Transport {
  const cut = createLineCutter(longestMessage);
  let closed = false;

  function write(message: object): Promise<void> {
    const line = `${JSON.stringify(message)}\n`;
    const written = new Promise<void>((resolve, reject) => {
      output.write(line, (error) => (error ? reject(error) : resolve()));
    });
    if (output.writableLength > mostUnread) input.pause();
    return written;
  }

  function take(line: Line): void {
    const read = readMessage(line);
    if (read.type === "message") wire.onmessage?.(read.message);
    // Who has gone away is told nothing; that it has gone is seen at the output itself.
    else if (read.type === "mistake") write(read.answer).catch(() => {});
  }

  function onData(piece: Buffer): void {
    for (const line of cut(piece)) if (!closed) take(line);
  }

  function end(): void {
    if (closed) return;
    closed = true;
    input.off("data", onData).destroy();
    wire.onclose?.();
  }

  function fail(error: Error): void {
    if (!closed) wire.onerror?.(error);
    end();
  }

  const wire: Transport = {
    async start() {
      input.on("data", onData).on("error", fail).on("end", end).on("close", end);
      output.on("error", fail).on("drain", () => input.resume());
    },
    send: (message: JSONRPCMessage) => (closed ? Promise.reject(new Error("the client is gone")) : write(message)),
    close: async () => end(),
  };
  return wire;
}

type Read =
  | { readonly type: "message"; readonly message: JSONRPCMessage }
  | { readonly type: "mistake"; readonly answer: object }
  | { readonly type: "nothing" };

function readMessage(line: Line): Read {
  if (line === "too-long") return mistake(-32600, `longer than ${longestMessage} bytes`, "send less at once");
  if (!isUtf8(line)) return mistake(-32700, "no text in UTF-8", "send it in UTF-8");
  const text = line.toString().trim();
  if (text === "") return { type: "nothing" };
  const parsed = attempt(() => JSON.parse(text));
  if (!parsed.ok) return mistake(-32700, "no JSON", "send each message as JSON on a line of its own");
  const message = attempt(() => parseJSONRPCMessage(parsed.value));
  if (message.ok) return { type: "message", message: message.value };
  if (isAnswer(parsed.value)) return { type: "nothing" };
  return mistake(
    -32600,
    "no message of JSON-RPC 2.0 as MCP has it",
    "compare it with MCP's schema",
    idOf(parsed.value),
  );
}

/** Without an id, as MCP has it, where no request can be told that the answer belongs to. */
function mistake(code: number, what: string, next: string, id?: string | number): Read {
  const message = `the line is ${what}, and nothing was done; ${next}`;
  return { type: "mistake", answer: { jsonrpc: "2.0", ...(id !== undefined && { id }), error: { code, message } } };
}

/** An answer is never answered, however odd it is: two who did so would not come to an end. */
function isAnswer(value: unknown): boolean {
  return typeof value === "object" && value !== null && !("method" in value) && ("result" in value || "error" in value);
}

function idOf(value: unknown): string | number | undefined {
  const id = typeof value === "object" && value !== null && "id" in value ? value.id : undefined;
  return typeof id === "string" || (typeof id === "number" && Number.isInteger(id)) ? id : undefined;
}

function attempt<T>(read: () => T): { readonly ok: true; readonly value: T } | { readonly ok: false } {
  try {
    return { ok: true, value: read() };
  } catch (error) {
    if (error instanceof SyntaxError || error instanceof RangeError || error instanceof z.core.$ZodError) {
      return { ok: false };
    }
    throw error;
  }
}
