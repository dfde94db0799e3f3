import { randomBytes } from "node:crypto";
import { afterAll, beforeAll, expect, it } from "vitest";
import { approvedPlan, type Browser, type ServedProject, serveProject } from "./serving.ts";

// A browser sends the cookies of 127.0.0.1 to every port. This is what a server on another port can do with them.

let served: ServedProject;
let browser: Browser;
beforeAll(async () => {
  served = await serveProject({}, approvedPlan);
  await served.project.holdfast(["advance", "--output", "the plan"]);
  browser = await served.enter();
});
afterAll(() => served.close());

const data = [
  "/api/me",
  "/api/runs",
  "/api/inbox",
  "/api/live",
  "/api/openapi.json",
  "/metrics",
  "/%61pi/me",
  "/api/x",
];

it.each(data)("cookies that another server has received read nothing: %s", async (path) => {
  const { status, text, json } = await served.ask(path, { headers: { cookie: browser.cookie } });
  expect([status, json.error.code]).toEqual([401, "page-key-needed"]);
  expect(text).not.toContain(served.project.root);
});

it("cookies that another server has received do nothing in the name of the person", async () => {
  const before = served.project.journal();
  const [reader, person] = browser["x-holdfast-key"].split(".");
  const guesses = [
    "",
    ".",
    `${reader}`,
    `${reader}.`,
    `.${person}x`,
    `${reader}.${randomBytes(32).toString("base64url")}`,
  ];
  for (const key of guesses) {
    const headers = { ...served.page, cookie: browser.cookie, "x-holdfast-key": key };
    const { status } = await served.ask(`/api/projects/${served.id}/approve`, { headers, body: {} });
    expect([401, 403]).toContain(status);
  }
  expect(served.project.journal()).toBe(before);
});

it("the key of one browser does not fit the cookies of another, and alone it counts for nothing", async () => {
  const other = await served.enter();
  const mixed = await served.ask("/api/me", { headers: { ...browser, "x-holdfast-key": other["x-holdfast-key"] } });
  expect(mixed.status).toBe(401);
  const alone = await served.ask("/api/me", { headers: { "x-holdfast-key": browser["x-holdfast-key"] } });
  expect([alone.status, alone.json.error.code]).toEqual([401, "token-needed"]);
});

it("the key comes with the page of the link, never in an address or a cookie", async () => {
  const answer = await served.ask(new URL(served.server.makeLink()).pathname);
  const [, key = ""] = /content="([0-9a-f]{64}\.[\w-]{43})"/.exec(answer.text) ?? [];
  expect(key).not.toBe("");
  expect(JSON.stringify(answer.headers)).not.toContain(key.split(".")[1]);
  expect(answer.text).not.toMatch(/(?:href|url|src)=[^>]*[0-9a-f]{64}/);
  expect(answer.headers["cache-control"]).toBe("no-store");
});

it("a reader's cookie and key outlast the server, a person's do not", async () => {
  const first = await serveProject({}, approvedPlan);
  const headers = await first.enter();
  const { port } = first.server;
  await first.close();
  const second = await serveProject({ port }, null, first.project);
  expect((await second.ask("/api/me", { headers })).json).toMatchObject({ level: "read" });
  await second.close();
});
