import { createServer, type IncomingHttpHeaders, type Server } from "node:http";
import { afterAll, beforeAll, expect, it } from "vitest";
import { askServer } from "../serve/serving.ts";
import { type Opened, openLink, projectOf } from "./support/page.ts";
import { createWorkplace, type Workplace } from "./support/project.ts";
import { type Served, serve } from "./support/server.ts";

let place: Workplace;
let served: Served;
let opened: Opened;
let other: Server;
let otherPort = 0;
let project = "";
/** What the browser has sent to the other server. */
const received: IncomingHttpHeaders[] = [];

beforeAll(async () => {
  place = await createWorkplace();
  place.write(
    ".holdfast/workflows/asks.yaml",
    "name: asks\ndescription: Asks\nsteps: [{ id: a, type: action, instructions: Go, gate: [{ approval: human }] }]\n",
  );
  const agent = place.agent("s1");
  const { runId: run } = await agent.ok("start", { workflow: "asks", summary: "Secret plans" });
  await agent.no("advance", { run, output: "done" });
  served = await serve(place);
  opened = await openLink(served);
  project = await projectOf(opened.page);
  other = createServer((request, answer) => {
    received.push(request.headers);
    answer.setHeader("content-type", "text/html");
    answer.end("<!doctype html><title>Another site</title><body></body>");
  });
  await new Promise<void>((resolve) => other.listen(0, "127.0.0.1", resolve));
  const address = other.address();
  otherPort = typeof address === "object" && address !== null ? address.port : 0;
});
afterAll(async () => {
  await opened.context.close();
  await served.kill();
  other.close();
});

const approve = () => `/api/projects/${project}/approve`;

it("a server on another port gets the cookies of a person, and can do nothing with them", async () => {
  const page = await opened.context.newPage();
  await page.goto(`http://127.0.0.1:${otherPort}/`);
  const { cookie = "" } = received.at(-1) ?? {};
  expect(cookie).toContain(`holdfast-person-${served.port}=`);
  expect(await page.evaluate("localStorage.getItem('holdfast-key')")).toBeNull();
  await page.close();
  const before = place.journal();
  const headers = { cookie, "x-holdfast": "page", origin: served.origin };
  const acted = await askServer(served.port, approve(), { headers, body: {} });
  const read = await askServer(served.port, "/api/runs", { headers });
  expect([acted.json.error.code, read.json.error.code]).toEqual(["page-key-needed", "page-key-needed"]);
  expect(place.journal()).toBe(before);
});

/** What a page can send to another origin, by itself or with the help of whoever looks at it. */
const attempts = `async (target, read) => {
  const tried = {};
  const attempt = async (name, act) => {
    try { tried[name] = String(await act()); } catch (error) { tried[name] = "refused"; }
  };
  const body = "{}";
  await attempt("read", async () => (await fetch(read, { credentials: "include" })).text());
  await attempt("live", async () => (await fetch(read.replace("runs", "live"), { credentials: "include" })).text());
  await attempt("simple", async () => (await fetch(target, { method: "POST", credentials: "include", body })).text());
  await attempt("blind", async () => (await fetch(target, { method: "POST", mode: "no-cors", credentials: "include", body })).type);
  await attempt("headers", async () => (await fetch(target, {
    method: "POST", credentials: "include", body,
    headers: { "Content-Type": "application/json", "X-Holdfast": "page", "X-Holdfast-Key": "x" },
  })).text());
  navigator.sendBeacon(target, body);
  await attempt("script", () => new Promise((resolve) => {
    const script = document.createElement("script");
    script.onload = () => resolve("loaded");
    script.onerror = () => resolve("refused");
    script.src = read;
    document.body.append(script);
  }));
  await attempt("frame", () => new Promise((resolve) => {
    const frame = document.createElement("iframe");
    frame.onload = () => { try { resolve(frame.contentDocument === null ? "refused" : frame.contentDocument.body.innerText); } catch { resolve("refused"); } };
    frame.src = read.replace("/api/runs", "/runs");
    document.body.append(frame);
  }));
  await attempt("form", () => new Promise((resolve) => {
    const frame = Object.assign(document.createElement("iframe"), { name: "into" });
    document.body.append(frame);
    const form = Object.assign(document.createElement("form"), { method: "post", action: target, target: "into", enctype: "text/plain" });
    form.append(Object.assign(document.createElement("input"), { name: '{"a":"', value: '"}' }));
    document.body.append(form);
    frame.onload = () => resolve("refused");
    form.submit();
  }));
  return tried;
}`;

it.each(["127.0.0.1", "localhost"])("a page at another port of %s neither reads nor changes anything", async (host) => {
  const page = await opened.context.newPage();
  await page.goto(`http://${host}:${otherPort}/`);
  const before = place.journal();
  const [target, read] = [`${served.origin}${approve()}`, `${served.origin}/api/runs`].map((each) =>
    JSON.stringify(each),
  );
  const tried = await page.evaluate(`(${attempts})(${target}, ${read})`);
  expect(tried).toEqual({
    read: "refused",
    live: "refused",
    simple: "refused",
    // The browser does not show what came back; the journal tells that nothing was done.
    blind: expect.stringMatching(/^(?:opaque|refused)$/),
    headers: "refused",
    script: "refused",
    frame: "refused",
    form: "refused",
  });
  expect(place.journal()).toBe(before);
  await page.close();
});

it("a window that another page has opened is out of its reach", async () => {
  const page = await opened.context.newPage();
  await page.goto(`http://127.0.0.1:${otherPort}/`);
  const [popup] = await Promise.all([
    page.waitForEvent("popup"),
    page.evaluate(`window.opened = window.open(${JSON.stringify(`${served.origin}/runs`)}); undefined`),
  ]);
  await popup.waitForLoadState();
  expect(await popup.evaluate("window.opener")).toBeNull();
  expect(await page.evaluate("window.opened.closed")).toBe(true);
  await popup.close();
  await page.close();
});

it("the link leaves no secret in the address, in the history or in what scripts can read", async () => {
  const { page } = opened;
  expect(new URL(page.url()).pathname).not.toContain("open");
  expect(await page.evaluate("document.cookie")).toBe("");
  expect(await page.evaluate("document.referrer")).toBe("");
  // The page of the link was replaced: there is no way back to it.
  await page.goBack().catch(() => null);
  expect(page.url()).not.toContain("/open/");
});
