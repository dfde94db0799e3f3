import { randomBytes } from "node:crypto";
import { once } from "node:events";
import { connect, type Socket } from "node:net";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { approvedPlan, type Browser, type ServedProject, serveProject } from "./serving.ts";

let served: ServedProject;
let browser: Browser;
beforeAll(async () => {
  served = await serveProject({}, approvedPlan);
  await served.project.holdfast(["advance", "--output", "the plan"]);
  browser = await served.enter();
});
afterAll(() => served.close());

/** What only a person may do. */
const approve = () => `/api/projects/${served.id}/approve`;

const paths = [
  "/",
  "/runs",
  "/api/me",
  "/api/projects",
  "/api/runs",
  "/api/openapi.json",
  "/metrics",
  "/assets/app.js",
];

it.each(paths)("%s is not shown to anybody without a token", async (path) => {
  const { status, text } = await served.ask(path);
  expect(status).toBe(401);
  expect(text).not.toContain(served.project.root);
});

it("a browser without a cookie is told what to do", async () => {
  const { headers, text } = await served.ask("/inbox", { headers: { accept: "text/html" } });
  expect(headers["content-type"]).toContain("text/html");
  expect(text).toContain("ress Enter in the terminal");
});

const wrong = [
  `Bearer hft_0123456789abcdef_${"a".repeat(43)}`,
  "Bearer ../../../etc/passwd",
  "Bearer ",
  "Basic YWRhOmFkYQ==",
  "bearer",
];
it.each(wrong)("a wrong token is refused: %s", async (authorization) => {
  const answered = await served.ask("/api/me", { headers: { authorization, ...browser } });
  expect(answered.status).toBe(401);
  expect(answered.json.error.code).toBe("token-wrong");
});

it("a cookie that was changed, or is of another server, counts for nothing", async () => {
  const [reader = "", person = ""] = browser.cookie.split("; ");
  const [name = "", value = ""] = reader.split("=");
  const [until = "", signature = ""] = value.split(".");
  const forged = [
    `${name}=${Number(until) + 1}.${signature}`,
    `${name}=${until}.${"0".repeat(signature.length)}`,
    `${name}=${until}`,
    person.replace(/.$/, (last) => (last === "A" ? "B" : "A")),
    reader.replace(/-\d+=/, "-1="),
  ];
  const ask = (sent: string) => served.ask("/api/me", { headers: { ...browser, cookie: sent } });
  for (const each of forged) expect((await ask(each)).status).toBe(401);
  expect((await ask(reader)).json.level).toBe("read");
});

describe("a page of another site", () => {
  const hosts = ["evil.example", "evil.example:4187", "127.0.0.1", "127.0.0.1:1", "localhost.evil.example", "0.0.0.0"];
  it.each(hosts)("gets nothing under the Host %s (DNS rebinding)", async (host) => {
    const answered = await served.ask("/api/me", { headers: { ...browser, host } });
    expect(answered.status).toBe(403);
    expect(answered.json.error.code).toBe("host-foreign");
  });

  it.each(["https://evil.example", "null", "http://127.0.0.1", "http://localhost:1"])(
    "reads and changes nothing from the origin %s",
    async (origin) => {
      const read = await served.ask("/api/me", { headers: { ...browser, origin } });
      expect(read.json.error.code).toBe("origin-foreign");
      const before = served.project.journal();
      const headers = { ...browser, "x-holdfast": "page", origin };
      expect((await served.ask(approve(), { headers, body: {} })).status).toBe(403);
      expect(served.project.journal()).toBe(before);
    },
  );

  it.each(["cross-site", "same-site"])("is recognised by Sec-Fetch-Site: %s", async (site) => {
    const headers = { ...browser, "sec-fetch-site": site, "sec-fetch-mode": "no-cors", "sec-fetch-dest": "script" };
    expect((await served.ask("/api/me", { headers })).json.error.code).toBe("origin-foreign");
    const link = { ...browser, "sec-fetch-site": site, "sec-fetch-mode": "navigate", "sec-fetch-dest": "document" };
    expect((await served.ask("/api/me", { headers: link })).json.error.code).toBe("origin-foreign");
  });

  it("posts nothing, whatever a form or a simple request can send", async () => {
    const before = served.project.journal();
    const own = { origin: `http://127.0.0.1:${served.server.port}` };
    const attempts = [browser, { ...browser, ...own }, { ...browser, "x-holdfast": "page" }];
    for (const headers of attempts) {
      const answered = await served.ask(approve(), { headers, body: {} });
      expect(answered.json.error.code).toBe("page-needed");
    }
    const typed = { ...browser, ...served.page, "content-type": "text/plain" };
    expect((await served.ask(approve(), { headers: typed, body: "{}" })).status).toBe(415);
    expect(served.project.journal()).toBe(before);
  });
});

const addresses = [
  "/?token=abc",
  "/?Token=abc",
  "/?%74oken=abc",
  "/api/me?access_token=abc",
  "/api/me?API_KEY=abc",
  "/metrics?a=1&authorization=Bearer%20abc",
  "/api/live?key=abc",
  "/mcp/p?token=abc",
  `/api/runs?search=hft_${"abc".repeat(20)}`,
  `/runs/hft_${"abc".repeat(20)}`,
  `/api/projects/hft%5f${"abc".repeat(20)}/status`,
];
it.each(addresses)("a token in an address is refused: %s", async (path) => {
  const { status, json, text } = await served.ask(path, { headers: { ...browser, accept: "application/json" } });
  expect(status).toBe(400);
  expect(json.error.code).toBe("token-in-url");
  expect(text).not.toContain("abc");
});

const traversals = [
  "/assets/../../package.json",
  "/assets/%2e%2e/%2e%2e/package.json",
  "/assets/..%2f..%2fpackage.json",
  "/assets/....//package.json",
  "/..%5c..%5cpackage.json",
  "/api/projects/..%2f..%2fetc/status",
  "//etc/passwd",
  "/assets/%00",
];
it.each(traversals)("no path leads out of the page: %s", async (path) => {
  const { status, text } = await served.ask(path, { headers: browser });
  expect([400, 404, 503]).toContain(status);
  expect(text).not.toContain('"dependencies"');
});

it("no operation reads a file of the machine by its path", async () => {
  const names = ["/etc/passwd", "../x.yaml", "x.yaml"].map(encodeURIComponent);
  for (const name of names) {
    const { status, json } = await served.ask(`/api/projects/${served.id}/graph?workflow=${name}`, {
      headers: browser,
    });
    expect([status, json.error.code]).toEqual([400, "usage"]);
  }
  const lint = await served.ask(`/api/projects/${served.id}/lint?files=/etc/passwd`, { headers: browser });
  expect(lint.status).toBe(400);
});

it("a link works once, and for two minutes", async () => {
  let now = Date.now();
  const other = await serveProject({ now: () => now });
  const path = new URL(other.server.makeLink()).pathname;
  expect((await other.ask(path)).status).toBe(200);
  const again = await other.ask(path);
  expect([again.status, again.headers["set-cookie"]]).toEqual([410, undefined]);
  expect(again.text).toContain("has been used already");
  const late = new URL(other.server.makeLink()).pathname;
  now += 2 * 60_000 + 1;
  expect((await other.ask(late)).text).toContain("is older than two minutes");
  expect((await other.ask("/open/guessed")).status).toBe(410);
  await other.close();
});

it("a body of 100 MB is not read to its end", async () => {
  const size = 100_000_000;
  const socket = await connected();
  socket.write(
    [
      `POST ${approve()} HTTP/1.1`,
      `host: 127.0.0.1:${served.server.port}`,
      ...Object.entries({ ...browser, ...served.page }).map(([name, value]) => `${name}: ${value}`),
      "content-type: application/json",
      "transfer-encoding: chunked",
      "\r\n",
    ].join("\r\n"),
  );
  const answer = textOf(socket);
  const piece = Buffer.alloc(65_536, "a");
  let sent = 0;
  while (sent < size && !socket.destroyed) {
    socket.write(`${piece.length.toString(16)}\r\n`);
    socket.write(piece);
    if (!socket.write("\r\n")) await Promise.race([once(socket, "drain"), once(socket, "close")]).catch(() => {});
    sent += piece.length;
  }
  expect(await answer).toMatch(/^HTTP\/1.1 413 /);
  // What the buffers of both sides hold, far below what was offered.
  expect(sent).toBeLessThan(size / 2);
  expect((await served.ask("/api/me", { headers: browser })).status).toBe(200);
});

it("a body that is announced as too large is refused before it is sent", async () => {
  const headers = { ...browser, ...served.page, "content-length": "100000000" };
  const socket = await connected();
  const lines = Object.entries({
    host: `127.0.0.1:${served.server.port}`,
    "content-type": "application/json",
    ...headers,
  });
  socket.write(`POST ${approve()} HTTP/1.1\r\n${lines.map(([name, value]) => `${name}: ${value}\r\n`).join("")}\r\n`);
  expect(await textOf(socket)).toMatch(/^HTTP\/1.1 413 /);
});

it("headers beyond 16 KB are refused", async () => {
  const { status } = await served.ask("/api/me", { headers: { ...browser, "x-long": "a".repeat(20_000) } });
  expect(status).toBe(431);
});

it("1,000 connections do not bring it down", async () => {
  const sockets = await Promise.all(Array.from({ length: 1_000 }, () => connected().catch(() => null)));
  const open = sockets.filter((socket) => socket !== null);
  // Those beyond the limit are closed at once.
  await Promise.all(open.slice(512).map((socket) => (socket.destroyed ? null : once(socket, "close"))));
  for (const socket of open) socket.destroy();
  await Promise.all(open.map((socket) => (socket.closed ? null : once(socket, "close"))));
  await expect.poll(async () => (await served.ask("/api/me", { headers: browser })).status).toBe(200);
});

it("every answer says that nothing but the page itself may be loaded, framed or stored", async () => {
  for (const path of ["/api/me", "/nowhere", "/open/guessed"]) {
    const { headers } = await served.ask(path, { headers: browser });
    expect(headers["content-security-policy"]).toContain("default-src 'none'; script-src 'self'; style-src 'self'");
    expect(headers["content-security-policy"]).not.toContain("unsafe");
    expect(headers).toMatchObject({
      "x-content-type-options": "nosniff",
      "referrer-policy": "no-referrer",
      "cache-control": "no-store",
      "cross-origin-opener-policy": "same-origin",
      "cross-origin-resource-policy": "same-origin",
    });
    expect(headers["access-control-allow-origin"]).toBeUndefined();
  }
});

it("script and bidirectional controls in a text arrive as escapes", async () => {
  const foul = `<script>alert(1)</script>\u202Egnp.exe\u2066 ${randomBytes(2).toString("hex")}`;
  await served.ask(`/api/projects/${served.id}/tell`, {
    headers: { ...browser, ...served.page },
    body: { text: foul },
  });
  const { text, json } = await served.ask(`/api/projects/${served.id}/log`, { headers: browser });
  expect(JSON.stringify(json)).toContain("gnp.exe");
  expect(text).not.toMatch(/[<>\u202A-\u202E\u2066-\u2069]/);
  expect(text).toContain("\\u003cscript");
});

it("the cookies are out of reach of scripts and of other sites", async () => {
  const given = await served.ask(new URL(served.server.makeLink()).pathname);
  expect(given.headers["set-cookie"]).toHaveLength(2);
  for (const each of given.headers["set-cookie"] ?? []) {
    expect(each).toMatch(new RegExp(`^holdfast-(read|person)-${served.server.port}=`));
    expect(each).toMatch(/; Path=\/; HttpOnly; SameSite=Strict$/);
  }
});

async function connected(): Promise<Socket> {
  const socket = connect(served.server.port, "127.0.0.1");
  socket.on("error", () => {});
  await once(socket, "connect");
  return socket;
}

/** Everything until the connection ends. */
function textOf(socket: Socket): Promise<string> {
  let text = "";
  socket.setEncoding("utf8").on("data", (chunk: string) => {
    text += chunk;
  });
  return new Promise((resolve) => socket.once("close", () => resolve(text)));
}
