import type { Readable, Writable } from "node:stream";
import { type JSONRPCMessage, parseJSONRPCMessage, type Transport } from "@modelcontextprotocol/server";
import { createLineCutter, type Line } from "./lines.ts";

/** Longer than anything that a tool takes. */
const longestLine = 10 * 1024 * 1024;

/**
 * Messages as lines on standard input and output. The SDK's own transport says nothing to a line that is no message,
 * and hangs up on a long one; this one answers both as JSON-RPC has it, and goes on.
 */
export function openWire(input: Readable, output: Writable): Transport {
  const cut = createLineCutter(longestLine);
  let closed = false;

  function write(message: object): Promise<void> {
    const line = `${JSON.stringify(message)}\n`;
    return new Promise((resolve, reject) => {
      output.write(line, (error) => (error ? reject(error) : resolve()));
    });
  }

  function take(line: Line): void {
    const read = readMessage(line);
    if (read.type === "message") wire.onmessage?.(read.message);
    // Who has gone away is told nothing; that it has gone is seen at the output itself.
    else if (read.type === "mistake") write({ jsonrpc: "2.0", id: read.id, error: read.error }).catch(() => {});
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
      output.on("error", fail);
    },
    send: (message: JSONRPCMessage) => (closed ? Promise.reject(new Error("the client is gone")) : write(message)),
    close: async () => end(),
  };
  return wire;
}

type Read =
  | { readonly type: "message"; readonly message: JSONRPCMessage }
  | { readonly type: "mistake"; readonly id: unknown; readonly error: { code: number; message: string } }
  | { readonly type: "nothing" };

function readMessage(line: Line): Read {
  if (line === "too-long") return mistake(-32600, `the line is longer than ${longestLine} bytes; nothing was done`);
  const text = line.toString().trim();
  if (text === "") return { type: "nothing" };
  const parsed = attempt(() => JSON.parse(text));
  if (!parsed.ok) return mistake(-32700, "the line is no JSON; nothing was done");
  const message = attempt(() => parseJSONRPCMessage(parsed.value));
  if (message.ok) return { type: "message", message: message.value };
  return mistake(-32600, "the line is no message of JSON-RPC 2.0; nothing was done", idOf(parsed.value));
}

/** Null, as JSON-RPC has it, where no request can be told that the answer belongs to. */
function mistake(code: number, message: string, id: unknown = null): Read {
  return { type: "mistake", id, error: { code, message } };
}

function idOf(value: unknown): unknown {
  const id = typeof value === "object" && value !== null && "id" in value ? value.id : null;
  return typeof id === "string" || typeof id === "number" ? id : null;
}

/** Whatever a reader throws at a text from outside is about that text. */
function attempt<T>(read: () => T): { readonly ok: true; readonly value: T } | { readonly ok: false } {
  try {
    return { ok: true, value: read() };
  } catch {
    return { ok: false };
  }
}
