import { once } from "node:events";
import { connect, type Socket } from "node:net";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { approvedPlan, type Browser, type ServedProject, serveProject } from "./serving.ts";

// With the limits that users have: the server waits 10 seconds for headers and 30 for a request, and looks every 5.

let served: ServedProject;
let browser: Browser;
const reported: unknown[] = [];
beforeAll(async () => {
  served = await serveProject({ report: (error) => reported.push(error) }, approvedPlan);
  browser = await served.enter();
});
afterAll(() => served.close());

async function connected(): Promise<Socket> {
  const socket = connect(served.server.port, "127.0.0.1").on("error", () => {});
  await once(socket, "connect");
  return socket;
}

/** Sends a text one character after the other, for ever, until the server ends the connection; what it said then. */
async function drip(socket: Socket, begin: string, piece: string): Promise<string> {
  let said = "";
  socket.setEncoding("utf8").on("data", (chunk: string) => {
    said += chunk;
  });
  socket.write(begin);
  const timer = setInterval(() => socket.writable && socket.write(piece), 500);
  if (!socket.closed) await new Promise((resolve) => socket.once("close", resolve));
  clearInterval(timer);
  return said;
}

const head = () => [`POST /api/projects/${served.id}/approve HTTP/1.1`, `host: 127.0.0.1:${served.server.port}`];
const trusted = () =>
  [...head(), ...Object.entries({ ...browser, ...served.page }).map(([name, value]) => `${name}: ${value}`)].concat(
    "content-type: application/json",
  );

describe.concurrent("a connection that never gets to the point is closed", () => {
  it("without a word", async () => {
    expect(await drip(await connected(), "", "")).toMatch(/^HTTP\/1.1 408 |^$/);
  });

  it("with headers that never end", async () => {
    expect(await drip(await connected(), `${head().join("\r\n")}\r\nx: `, "x")).toMatch(/^HTTP\/1.1 408 /);
  });

  it("with a header that never ends, of many lines", async () => {
    expect(await drip(await connected(), `${head().join("\r\n")}\r\n`, "x-a: b\r\n")).toMatch(/^HTTP\/1.1 408 /);
  });

  it("with a body that never ends, also from somebody who may act", async () => {
    const begin = `${[...trusted(), "content-length: 5000"].join("\r\n")}\r\n\r\n{"a":"`;
    expect(await drip(await connected(), begin, "x")).toMatch(/^HTTP\/1.1 408 |^$/);
  });

  it("with a body of chunks that never end", async () => {
    const begin = `${[...trusted(), "transfer-encoding: chunked"].join("\r\n")}\r\n\r\n`;
    expect(await drip(await connected(), begin, "1\r\n \r\n")).toMatch(/^HTTP\/1.1 408 |^$/);
  });

  it("with a body for which there is no permission, at once", async () => {
    const begin = `${[...head(), "content-type: application/json", "content-length: 5000"].join("\r\n")}\r\n\r\n`;
    expect(await drip(await connected(), begin, "x")).toMatch(/^HTTP\/1.1 401 /);
  });

  it("also if there are 600 of them: then the server answers again, and has kept none", async () => {
    const sockets = await Promise.all(Array.from({ length: 600 }, () => connected().catch(() => null)));
    const closed = sockets.map((socket) => socket && drip(socket, `${head().join("\r\n")}\r\nx: `, "x"));
    await Promise.all(closed);
    expect((await served.ask("/api/me", { headers: browser })).status).toBe(200);
  });
});

it("nothing of this is a mistake of the server", () => expect(reported).toEqual([]));
