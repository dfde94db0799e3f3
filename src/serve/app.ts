import type { Context } from "hono";
import { Hono } from "hono/tiny";
import { isKnown, requireLevel, type Visitor, visitorOf } from "./access/visitor.ts";
import { costsAcross, costsSchema, countRuns, inboxAcross, runsAcross, runsSchema } from "./api/across.ts";
import { callOperation } from "./api/call.ts";
import { inputSchema, typedQuery } from "./api/input.ts";
import { openApi } from "./api/openapi.ts";
import { servedOperation } from "./api/served.ts";
import type { Me } from "./contract/contract.ts";
import { secured } from "./http/headers.ts";
import { comesFromPage, refuseForeign } from "./http/origins.ts";
import { enterPage, enterScript, enterScriptPath, problemPage } from "./http/plain-page.ts";
import { HttpProblem, jsonAnswer, problemAnswer, problemOf } from "./http/problem.ts";
import { readObject } from "./http/read-body.ts";
import { createMcpEndpoint } from "./mcp/endpoint.ts";
import type { Serving } from "./serving.ts";

type Vars = { Variables: { visitor: Visitor } };
export type App = Hono<Vars>;

/** Answers every request: the guards first, then the link of a browser, the API and the page. */
export function createApp(serving: Serving): (request: Request) => Promise<Response> {
  const app: App = new Hono<Vars>();
  app.use("*", async (context, next) => {
    refuseForeign(context.req.raw, serving.origins, isData(context.req.path));
    if (/^\/open\/[^/]+$/.test(context.req.path)) return next();
    // The path that routes are chosen by, with its escapes decoded: another reading of it would leave a way around.
    const visitor = visitorOf(context.req.raw, serving.access, isData(context.req.path) ? "data" : "page");
    refuseForgery(context.req.raw, visitor, serving);
    context.set("visitor", visitor);
    return next();
  });
  app.get(enterScriptPath, () => enterScript());
  app.get("/open/:code", ({ req }) => (isOpening(req.raw) ? openLink(serving, req.param("code")) : declined()));
  addApi(app, serving);
  app.get("*", (context) => answerPage(serving, context.req.raw, context.req.path));
  app.notFound(({ req }) => problemAnswer(missing(app, req.path)));
  app.onError((error, context) => answerProblem(problemOf(error, serving.report), context.req.raw, context.req.path));
  return async (request) => {
    const answer = secured(await app.fetch(request));
    serving.metrics.count(new URL(request.url).pathname, answer.status);
    return answer;
  };
}

function addApi(app: App, serving: Serving): void {
  const answerMcp = createMcpEndpoint(serving);
  app.get("/api/me", (context) => {
    const { level, name } = context.get("visitor");
    return jsonAnswer({ level, name, version: serving.version, isReadOnly: serving.person === null } satisfies Me);
  });
  app.get("/api/projects", () => jsonAnswer(serving.projects.list()));
  app.get("/api/runs", async (context) => {
    const query = typedQuery(new URL(context.req.url).searchParams, runsSchema());
    return jsonAnswer(await runsAcross(serving.projects, query));
  });
  app.get("/api/inbox", async () => jsonAnswer(await inboxAcross(serving.projects)));
  app.get("/api/costs", async (context) => {
    const query = typedQuery(new URL(context.req.url).searchParams, costsSchema());
    return jsonAnswer(await costsAcross(serving.projects, query));
  });
  app.get("/metrics", async () => answerMetrics(serving));
  app.get("/api/live", (context) => {
    const { project, run } = context.req.query();
    const lastId = context.req.header("last-event-id") ?? null;
    // Nobody would read the stream of a HEAD, nor end it.
    const isRead = context.req.method === "GET";
    const { raw } = context.req;
    const isWelcome = () => isKnown(raw, serving.access);
    const stream = isRead ? serving.live.open({ project, run }, lastId, { gone: raw.signal, isWelcome }) : null;
    // nginx would hold back what is told until a buffer is full.
    const headers = { "content-type": "text/event-stream; charset=utf-8", "x-accel-buffering": "no" };
    return new Response(stream, { headers });
  });
  app.get("/api/openapi.json", () => jsonAnswer(openApi(serving.version)));
  app.get("/api/projects/:project/:operation", async (context) => {
    const [name, options] = findOperation(context, "GET");
    const query = typedQuery(new URL(context.req.url).searchParams, inputSchema(name, options));
    return callFor(context, serving, query);
  });
  // Every method: a wrong one is told which is right.
  app.all("/api/projects/:project/:operation", async (context) => {
    const [, { level }] = findOperation(context, context.req.method);
    // Before the body is read: nobody without the level sends one.
    requireLevel(context.get("visitor"), level);
    return callFor(context, serving, await readObject(context.req.raw));
  });
  app.all("/mcp/:project", (context) => {
    const deps = () => serving.projects.open(context.req.param("project"));
    return answerMcp(context.req.raw, context.get("visitor"), deps);
  });
  app.all("/api/*", ({ req }) => problemAnswer(missing(app, req.path)));
}

async function answerMetrics({ projects, metrics, version }: Serving): Promise<Response> {
  const runs = Object.entries(await countRuns(projects));
  const gauges = [
    { name: "holdfast_info", help: "The version.", values: [{ labels: { version }, value: 1 }] },
    {
      name: "holdfast_runs",
      help: "Runs of all projects by state.",
      values: runs.map(([state, value]) => ({ labels: { state }, value })),
    },
  ];
  return new Response(metrics.text(gauges), {
    headers: { "content-type": "text/plain; version=0.0.4; charset=utf-8" },
  });
}

async function callFor(context: Context<Vars>, serving: Serving, given: object): Promise<Response> {
  const found = findOperation(context, context.req.method === "POST" ? "POST" : "GET");
  const deps = serving.projects.open(context.req.param("project") ?? "");
  return jsonAnswer(await callOperation(deps, context.get("visitor"), serving.person, found, given));
}

function findOperation(context: Context<Vars>, method: string) {
  const found = servedOperation(context.req.param("operation") ?? "");
  if (found === null) throw notFound();
  const [name, { method: needed }] = found;
  if (needed === method) return found;
  throw wrongMethod(`"${name}" does not accept ${method}`, needed);
}

/** A browser adds its cookies to what any page sends; only our own page can add the header, and only from our own origin. */
function refuseForgery(request: Request, { by }: Visitor, { origins }: Serving): void {
  if (request.method === "GET" || request.method === "HEAD" || by === "token") return;
  if (comesFromPage(request, origins)) return;
  const next = "changes with a cookie come from the dashboard; another program sends Authorization: Bearer <token>";
  throw new HttpProblem(403, "page-needed", "this request does not come from the dashboard", next);
}

/** A link works once, so it is kept for the person: programs that check links ask with HEAD, and browsers may prefetch. */
function isOpening(request: Request): boolean {
  const purpose = request.headers.get("sec-purpose") ?? request.headers.get("purpose") ?? "";
  return request.method === "GET" && !purpose.includes("prefetch");
}

/** A browser that gets this for a prefetch asks again when the link is really opened. */
function declined(): Response {
  return new Response(null, { status: 503 });
}

function openLink({ links, access: { cookies, newLink } }: Serving, code: string): Response {
  const level = links.take(code);
  if (level === "read" || level === "person") {
    const entrance = cookies.give(level);
    const answer = enterPage(entrance.key);
    for (const cookie of entrance.cookies) answer.headers.append("set-cookie", cookie);
    return answer;
  }
  const why = { used: "has been used already", late: "is older than two minutes", unknown: "is not known here" }[level];
  return problemPage(new HttpProblem(410, "link-over", `this link ${why}`, newLink));
}

async function answerPage({ page }: Serving, request: Request, path: string): Promise<Response> {
  const file = await page.file(request, path);
  if (file !== null) return file;
  const isFile = path.startsWith("/assets/") || isData(path) || /\.[a-z0-9]+$/i.test(path);
  if (isFile) throw notFound();
  const document = await page.document(request);
  if (document !== null) return document;
  const next = "the API works; to build the page from a clone of the source, run `npm run build`";
  throw new HttpProblem(503, "page-missing", "this installation of Holdfast has no dashboard page in it", next);
}

/** Everything but the files of the page. */
function isData(path: string): boolean {
  return /^\/(?:api|mcp|metrics)(?:\/|$)/.test(path);
}

/** No route took the request: there is nothing, or it is only read. */
function missing({ routes }: App, asked: string): HttpProblem {
  const isRead = routes.some(({ method, path }) => method === "GET" && path === asked);
  return isRead ? wrongMethod(`${asked} is only read`, "GET") : notFound();
}

function wrongMethod(message: string, needed: string): HttpProblem {
  return new HttpProblem(405, "usage", message, `use ${needed}`);
}

function notFound(): HttpProblem {
  return new HttpProblem(404, "not-found", "there is nothing at this address", "see GET /api/openapi.json");
}

/** A person in a browser gets a page, a program JSON. What is left of a body that is too large is not read. */
function answerProblem(problem: HttpProblem, request: Request, path: string): Response {
  const isNavigation = request.method === "GET" && (request.headers.get("accept") ?? "").includes("text/html");
  const answer = isNavigation && !isData(path) ? problemPage(problem) : problemAnswer(problem);
  if (problem.status === 413) answer.headers.set("connection", "close");
  if (problem.status === 401) answer.headers.set("www-authenticate", 'Bearer realm="holdfast"');
  return answer;
}
