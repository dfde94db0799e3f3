import { createServer, request, type Server } from "node:http";
import { afterAll, beforeAll, expect, it } from "vitest";
import {
  type Asked,
  approvedPlan,
  askServer,
  type Browser,
  browserFrom,
  type ServedProject,
  serveProject,
} from "./serving.ts";

const proxyOrigin = "https://holdfast.example.org";
const proxyHost = "holdfast.example.org";

let served: ServedProject;
let proxy: Server;
let proxyPort = 0;
/** Whether the proxy names itself or the server as the Host, as some do. */
let passesHost = true;

/** What a proxy does after TLS: it passes on what it gets and adds from where. */
beforeAll(async () => {
  served = await serveProject({ proxy: proxyOrigin }, approvedPlan);
  await served.project.holdfast(["advance", "--output", "the plan"]);
  proxy = createServer((incoming, outgoing) => {
    const { port } = served.server;
    const host = passesHost ? incoming.headers.host : `127.0.0.1:${port}`;
    const added = {
      host,
      "x-forwarded-for": "203.0.113.7",
      "x-forwarded-proto": "https",
      "x-forwarded-host": proxyHost,
    };
    const { method, url, headers } = incoming;
    const onward = request(
      { host: "127.0.0.1", port, method, path: url, headers: { ...headers, ...added } },
      (answer) => {
        outgoing.writeHead(answer.statusCode ?? 502, answer.headers);
        answer.pipe(outgoing);
      },
    );
    onward.on("error", () => outgoing.destroy());
    outgoing.on("close", () => onward.destroy());
    incoming.pipe(onward);
  });
  await new Promise<void>((resolve) => proxy.listen(0, "127.0.0.1", resolve));
  const address = proxy.address();
  proxyPort = typeof address === "object" && address !== null ? address.port : 0;
});
afterAll(async () => {
  proxy.close();
  proxy.closeAllConnections();
  await served.close();
});

/** As a browser asks that has opened the address of the proxy. */
function ask(path: string, { headers, ...asked }: Asked = {}) {
  return askServer(proxyPort, path, { ...asked, headers: { host: proxyHost, ...headers } });
}

async function enter(): Promise<Browser> {
  return browserFrom(await ask(new URL(served.server.makeLink()).pathname));
}

it("the link leads to the proxy, and its cookies are sent over TLS only", async () => {
  const link = served.server.makeLink();
  expect(link).toMatch(/^https:\/\/holdfast\.example\.org\/open\//);
  const { headers } = await ask(new URL(link).pathname);
  expect(headers["set-cookie"]).toHaveLength(2);
  for (const cookie of headers["set-cookie"] ?? []) expect(cookie).toMatch(/; HttpOnly; SameSite=Strict; Secure$/);
});

it.each([true, false])("a person reads and acts through the proxy (which passes on the Host: %s)", async (isPassed) => {
  passesHost = isPassed;
  const headers = { ...(await enter()), "x-holdfast": "page", origin: proxyOrigin };
  expect((await ask("/api/me", { headers })).json).toMatchObject({ level: "person" });
  const told = await ask(`/api/projects/${served.id}/tell`, { headers, body: { text: "Use the palette." } });
  expect(told.status).toBe(200);
  passesHost = true;
});

it("a page of another site does nothing through the proxy", async () => {
  const before = served.project.journal();
  const browser = await enter();
  for (const origin of ["https://evil.example", `http://${proxyHost}`, "https://holdfast.example.org.evil.example"]) {
    const headers = { ...browser, "x-holdfast": "page", origin };
    const { json } = await ask(`/api/projects/${served.id}/approve`, { headers, body: {} });
    expect(json.error.code).toBe("origin-foreign");
  }
  expect(served.project.journal()).toBe(before);
});

const claims: Readonly<Record<string, string>>[] = [
  { "x-forwarded-host": proxyHost, "x-forwarded-proto": "https", "x-forwarded-for": "127.0.0.1" },
  { forwarded: `for=127.0.0.1;host=${proxyHost};proto=https` },
  { "x-original-host": proxyHost, "x-host": proxyHost, "x-real-ip": "127.0.0.1" },
  { "x-original-url": "/api/me", "x-rewrite-url": "/api/me", "x-http-method-override": "POST" },
];
it.each(claims)("whatever a client claims about a proxy is not believed: %j", async (claimed) => {
  const browser = await enter();
  const elsewhere = await served.ask("/api/me", { headers: { ...browser, ...claimed, host: "10.0.0.5:4187" } });
  expect([elsewhere.status, elsewhere.json.error.code]).toEqual([403, "host-foreign"]);
  const nobody = await served.ask("/api/me", { headers: { ...claimed } });
  expect([nobody.status, nobody.json.error.code]).toEqual([401, "token-needed"]);
  const without = await serveProject();
  const headers = { ...(await without.enter()), ...claimed, host: proxyHost };
  expect((await without.ask("/api/me", { headers })).json.error.code).toBe("host-foreign");
  await without.close();
});

it("a live stream comes through the proxy as it is told", async () => {
  const browser = await enter();
  const answer = await new Promise<string>((resolve, reject) => {
    const headers = { host: proxyHost, ...browser };
    const sent = request({ host: "127.0.0.1", port: proxyPort, path: "/api/live", headers, agent: false }, (stream) => {
      stream.setEncoding("utf8").once("data", (text: string) => {
        stream.destroy();
        resolve(text);
      });
    });
    sent.once("error", reject);
    sent.end();
  });
  expect(answer).toMatch(/^retry: 1000\nid: /);
});
