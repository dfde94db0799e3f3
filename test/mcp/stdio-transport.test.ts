import { PassThrough } from "node:stream";
import { expect, test } from "vitest";
import { openStdioTransport } from "../../src/mcp/stdio-transport.ts";

async function open() {
  const input = new PassThrough();
  const output = new PassThrough();
  const wire = openStdioTransport(input, output);
  const seen = { messages: [] as unknown[], errors: [] as string[], closed: 0 };
  wire.onmessage = (message) => seen.messages.push(message);
  wire.onerror = ({ message }) => seen.errors.push(message);
  wire.onclose = () => {
    seen.closed += 1;
  };
  await wire.start();
  return { input, output, wire, seen };
}

const ping = { jsonrpc: "2.0", id: 1, method: "ping" } as const;
/** As a client may send it: with the line end of another system, and cut within a letter. */
const greeting = Buffer.from(`${JSON.stringify({ ...ping, params: { text: "größer" } })}\r\n`);

test("a message that comes in pieces is one message", async () => {
  const { input, seen } = await open();
  const within = greeting.indexOf("ö") + 1;
  input.write(greeting.subarray(0, within));
  input.write(greeting.subarray(within));
  await expect.poll(() => seen.messages).toEqual([{ ...ping, params: { text: "größer" } }]);
});

test("messages together that are longer than any may be are all taken", async () => {
  const { input, seen } = await open();
  const one = `${JSON.stringify({ ...ping, params: { text: "x".repeat(1_000_000) } })}\n`;
  input.write(one.repeat(12));
  await expect.poll(() => seen.messages.length).toBe(12);
});

test("what is sent is one line, and every character of it can be seen", async () => {
  const { output, wire } = await open();
  await wire.send({ jsonrpc: "2.0", id: 1, result: { text: "two\nlines\u2028\u202e\u{e0041}" } });
  expect(String(output.read())).toBe(
    '{"jsonrpc":"2.0","id":1,"result":{"text":"two\\nlines\\u2028\\u202e\\udb40\\udc41"}}\n',
  );
});

test("the end of the input closes once, and nothing is sent or taken after it", async () => {
  const { input, wire, seen } = await open();
  input.end(JSON.stringify(ping));
  await expect.poll(() => seen.closed).toBe(1);
  await wire.close();
  expect(seen).toEqual({ messages: [], errors: [], closed: 1 });
  await expect(wire.send({ jsonrpc: "2.0", id: 1, result: {} })).rejects.toThrow("the client is gone");
});

test.each(["input", "output"] as const)("a broken %s is told and closes", async (side) => {
  const { input, output, seen } = await open();
  ({ input, output })[side].destroy(new Error("broken"));
  await expect.poll(() => seen).toEqual({ messages: [], errors: ["broken"], closed: 1 });
  expect(input.destroyed).toBe(true);
});

test("bytes that are no UTF-8 are refused, not bent", async () => {
  const { input, output, seen } = await open();
  const bytes = Buffer.from(JSON.stringify({ ...ping, params: { text: "?" } }));
  bytes[bytes.indexOf("?")] = 0xff;
  input.write(Buffer.concat([bytes, Buffer.from("\n")]));
  await expect.poll(() => String(output.read() ?? "")).toContain('"code":-32700,"message":"the line is not UTF-8 text');
  expect(seen.messages).toEqual([]);
});

test("a client that leaves very much unread is not read from until it reads", async () => {
  const { input, output, wire } = await open();
  const large = { jsonrpc: "2.0", id: 1, result: { text: "x".repeat(1_000_000) } } as const;
  const sent = Array.from({ length: 70 }, () => wire.send(large));
  expect(input.isPaused()).toBe(true);
  output.resume();
  await Promise.all(sent);
  await expect.poll(() => input.isPaused()).toBe(false);
});
