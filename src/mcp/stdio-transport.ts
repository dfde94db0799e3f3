import { isUtf8 } from "node:buffer";
import type { Readable, Writable } from "node:stream";
import { type JSONRPCMessage, parseJSONRPCMessage, type Transport } from "@modelcontextprotocol/server";
import * as z from "zod";
import { visibleJson } from "../model/written/unseen-text.ts";
import { paramsProblem } from "./check-params.ts";
import { createLineCutter, type Line } from "./lines.ts";

/** In bytes. The limit of the SDK's own transport; real messages are far shorter. */
const longestMessage = 10 * 1024 * 1024;
/** Backpressure: above this many unread bytes, input is paused until the client reads. */
const mostUnread = 64 * 1024 * 1024;

/**
 * MCP messages as lines on standard input and output. The SDK's own transport ignores an invalid line and disconnects on
 * a long one; this one replies with the JSON-RPC error and stays connected.
 */
export function openStdioTransport(input: Readable, output: Writable): Transport {
  const cut = createLineCutter(longestMessage);
  let closed = false;

  function write(message: object): Promise<void> {
    const line = `${visibleJson(JSON.stringify(message))}\n`;
    const written = new Promise<void>((resolve, reject) => {
      output.write(line, (error) => (error ? reject(error) : resolve()));
    });
    if (output.writableLength > mostUnread) input.pause();
    return written;
  }

  function take(line: Line): void {
    const read = readMessage(line);
    if (read.type === "message") transport.onmessage?.(read.message);
    // If the client is gone, the output reports that itself.
    else if (read.type === "mistake") write(read.answer).catch(() => {});
  }

  function onData(piece: Buffer): void {
    for (const line of cut(piece)) if (!closed) take(line);
  }

  function end(): void {
    if (closed) return;
    closed = true;
    input.off("data", onData).destroy();
    transport.onclose?.();
  }

  function fail(error: Error): void {
    if (!closed) transport.onerror?.(error);
    end();
  }

  const transport: Transport = {
    async start() {
      input.on("data", onData).on("error", fail).on("end", end).on("close", end);
      output.on("error", fail).on("drain", () => input.resume());
    },
    send: (message: JSONRPCMessage) => (closed ? Promise.reject(new Error("the client is gone")) : write(message)),
    close: async () => end(),
  };
  return transport;
}

type Read =
  | { readonly type: "message"; readonly message: JSONRPCMessage }
  | { readonly type: "mistake"; readonly answer: object }
  | { readonly type: "nothing" };

function readMessage(line: Line): Read {
  if (line === "too-long") return mistake(-32600, `longer than ${longestMessage} bytes`, "send less at once");
  if (!isUtf8(line)) return mistake(-32700, "not UTF-8 text", "send it in UTF-8");
  const text = line.toString().trim();
  if (text === "") return { type: "nothing" };
  const parsed = attempt(() => JSON.parse(text));
  if (!parsed.ok) return mistake(-32700, "not JSON", "send each message as JSON on a line of its own");
  const message = attempt(() => parseJSONRPCMessage(parsed.value));
  if (message.ok) {
    const problem = paramsProblem(message.value);
    if (problem === null) return { type: "message", message: message.value };
    const error = { code: -32602, message: `the parameters are invalid: ${problem}` };
    return { type: "mistake", answer: { jsonrpc: "2.0", id: idOf(message.value), error } };
  }
  if (isAnswer(parsed.value)) return { type: "nothing" };
  return mistake(-32600, "not a JSON-RPC 2.0 message of MCP", "compare it with the MCP schema", idOf(parsed.value));
}

/** The error has no id if it is unknown which request it belongs to, as MCP requires. */
function mistake(code: number, what: string, next: string, id?: string | number): Read {
  const message = `the line is ${what}, so it was ignored; ${next}`;
  return { type: "mistake", answer: { jsonrpc: "2.0", ...(id !== undefined && { id }), error: { code, message } } };
}

/** Never reply to a response, even an invalid one: two sides that did so would never stop. */
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
    if (error instanceof SyntaxError || error instanceof RangeError || error instanceof z.ZodError) {
      return { ok: false };
    }
    throw error;
  }
}
