import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { gzipSync } from "node:zlib";
import { afterEach, expect, it } from "vitest";
import { served as servedOperations } from "../../src/serve/api/served.ts";
import { createProject } from "../cli/program.ts";
import { approvedPlan, type ServedProject, serveProject } from "./serving.ts";

const servers: ServedProject[] = [];
afterEach(async () => {
  for (const server of servers.splice(0)) await server.close();
});

async function serve(...given: Parameters<typeof serveProject>): Promise<ServedProject> {
  const served = await serveProject(...given);
  servers.push(served);
  return served;
}

it("shows the runs and the inbox of all projects, and marks one that is gone", async () => {
  const { project, ask, enter, id, server } = await serve({}, approvedPlan);
  await project.holdfast(["advance", "--output", "the plan"]);
  const others = ["other", "gone"].map((name) => `${project.root}/../${name}`);
  for (const cwd of others) {
    mkdirSync(cwd);
    expect((await project.holdfast(["start", "feature", "Say hello"], { cwd })).code).toBe(0);
  }
  rmSync(others[1] ?? "", { recursive: true });
  const headers = await enter();
  const { json: projects } = await ask("/api/projects", { headers });
  expect(projects.map(({ name, problem }: { name: string; problem: string | null }) => [name, problem])).toEqual([
    ["gone", "the folder is gone"],
    ["other", null],
    ["project", null],
  ]);
  const { json: runs } = await ask("/api/runs?count=1", { headers });
  expect(runs).toMatchObject({ total: 2, from: 0, cards: [{ workflow: "feature", project: projects[1].id }] });
  expect((await ask("/api/runs?from=1", { headers })).json.cards).toMatchObject([{ workflow: "plan", project: id }]);
  expect((await ask(`/api/runs?project=${id}&column=needs-you`, { headers })).json.total).toBe(1);
  expect((await ask("/api/inbox", { headers })).json).toMatchObject([{ project: id, kind: "approval", step: "plan" }]);
  expect((await ask(`/api/projects/${projects[0].id}/runs`, { headers })).status).toBe(503);
  expect((await ask("/api/runs?from=x", { headers })).status).toBe(400);
  expect(server.projects).toHaveLength(1);
});

it("sums up what the runs of all projects have taken", async () => {
  const { project, ask, enter, id } = await serve({}, approvedPlan);
  const cwd = `${project.root}/../other`;
  mkdirSync(cwd);
  for (const at of [cwd, project.root]) await project.holdfast(["start", "feature", "Say hello"], { cwd: at });
  const headers = await enter();
  const { json: costs } = await ask("/api/costs?days=7", { headers });
  const runsOf = (rows: { name: string; runs: number }[]) => rows.map(({ name, runs }) => [name, runs]).sort();
  expect(runsOf(costs.workflows)).toEqual([
    ["feature", 2],
    ["plan", 1],
  ]);
  expect(costs.days.reduce((sum: number, { runs }: { runs: number }) => sum + runs, 0)).toBe(3);
  const projects = costs.runs.map((run: { project: string }) => run.project);
  expect(projects.filter((each: string) => each === id)).toHaveLength(2);
  expect([new Set(projects).size, costs.leftOut]).toEqual([2, 0]);
  expect((await ask(`/api/projects/${id}/costs`, { headers })).json.runs).toHaveLength(2);
  for (const days of ["0", "367", "x"]) expect((await ask(`/api/costs?days=${days}`, { headers })).status).toBe(400);
});

it("describes itself with the schemas of the operations", async () => {
  const { ask, enter } = await serve();
  const { json } = await ask("/api/openapi.json", { headers: await enter() });
  const paths = Object.keys(servedOperations).map((name) => `/api/projects/{project}/${name}`);
  expect(Object.keys(json.paths)).toEqual(
    expect.arrayContaining(["/api/me", "/api/runs", "/api/costs", "/api/live", "/metrics", ...paths]),
  );
  expect(json.paths["/api/projects/{project}/log"].get.parameters).toContainEqual(
    expect.objectContaining({ name: "after", in: "query", schema: expect.objectContaining({ type: "integer" }) }),
  );
  expect(json.paths["/api/projects/{project}/abort"].post["x-level"]).toBe("person");
});

it("types what a query gives, and refuses what an operation does not take", async () => {
  const { ask, enter, id } = await serve();
  const headers = await enter();
  const log = await ask(`/api/projects/${id}/log?after=1&brief=true`, { headers });
  expect(log.json.events[0].seq).toBe(2);
  const unknown = await ask(`/api/projects/${id}/log?wat=1`, { headers });
  expect(unknown.json.error).toMatchObject({
    code: "usage",
    message: expect.stringContaining('"wat" is not an input of "log"'),
  });
  expect((await ask(`/api/projects/${id}/log?after=1&after=2`, { headers })).status).toBe(400);
  expect((await ask(`/api/projects/${id}/push`, { headers })).status).toBe(404);
  expect((await ask(`/api/projects/${id}/approve`, { headers })).status).toBe(405);
  expect((await ask("/api/projects/nowhere-1234/status", { headers })).json.error.code).toBe("project-unknown");
  expect((await ask(`/api/projects/${id}/status?run=nothing`, { headers })).json.error.code).toBe("run-unknown");
});

it("refuses a method that an address does not have, and tells which it has", async () => {
  const { ask, enter, page, id } = await serve();
  const headers = { ...(await enter()), ...page };
  const approve = `/api/projects/${id}/approve`;
  for (const [method, path, needed] of [
    ["PUT", approve, "POST"],
    ["DELETE", approve, "POST"],
    ["POST", `/api/projects/${id}/status`, "GET"],
    ["PUT", `/api/projects/${id}/status`, "GET"],
    ["POST", "/api/runs", "GET"],
    ["DELETE", "/api/runs", "GET"],
    ["PATCH", "/api/me", "GET"],
    ["POST", "/metrics", "GET"],
  ] as const) {
    const { status, json } = await ask(path, { method, headers, ...(method === "POST" && { body: {} }) });
    expect([status, json.error.next], `${method} ${path}`).toEqual([405, `use ${needed}`]);
  }
  expect((await ask(`/api/projects/${id}/push`, { method: "PUT", headers })).status).toBe(404);
  expect((await ask("/api/nothing", { method: "POST", headers, body: {} })).status).toBe(404);
});

it("ends a run, or trusts commands, only if the request says that it is meant", async () => {
  const checked = approvedPlan.replace("gate: [{ approval: human }]", "gate: [{ run: 'true' }]");
  const { ask, enter, id, page, project } = await serve({}, approvedPlan);
  const headers = { ...(await enter()), ...page };
  project.write(".holdfast/workflows/checked.yaml", checked.replace("name: plan", "name: checked"));
  const asked = await ask(`/api/projects/${id}/trust`, { headers, body: { workflow: "checked" } });
  expect([asked.status, asked.json.error.code]).toEqual([409, "template-untrusted"]);
  expect(asked.json.error.message).toContain("true");
  const trusted = await ask(`/api/projects/${id}/trust`, { headers, body: { workflow: "checked", yes: true } });
  expect(trusted.json.commands).toEqual([expect.stringContaining("true")]);
  const abort = await ask(`/api/projects/${id}/abort`, { headers, body: {} });
  expect([abort.status, abort.json.error.code]).toEqual([409, "confirmation-needed"]);
  expect((await ask(`/api/projects/${id}/abort`, { headers, body: { yes: true } })).json.status).toBe("aborted");
  const { json: log } = await ask(`/api/projects/${id}/log?run=plan`, { headers });
  expect(log.events.at(-1)).toMatchObject({ type: "run-aborted", by: "ada", via: "dashboard" });
});

it("serves the page compressed, or as it is to whoever cannot unpack it", async () => {
  const folder = createPageFolder();
  const { ask, enter } = await serve({ pageFolder: folder.root });
  const headers = await enter();
  const packed = await ask("/runs", { headers: { ...headers, "accept-encoding": "gzip, br" } });
  expect(packed.headers).toMatchObject({ "content-encoding": "gzip", "content-type": "text/html; charset=utf-8" });
  const plain = await ask("/p/some/runs/any", { headers: { ...headers, "accept-encoding": "gzip;q=0" } });
  expect(plain.text).toBe("<p>the page</p>");
  const script = await ask("/assets/app-1.js", { headers });
  expect([script.text, script.headers["cache-control"]]).toEqual(["run()", "private, max-age=31536000, immutable"]);
  const { etag = "" } = script.headers;
  expect((await ask("/assets/app-1.js", { headers: { ...headers, "if-none-match": etag } })).status).toBe(304);
  expect((await ask("/assets/app-2.js", { headers })).status).toBe(404);
  expect((await ask("/index.html.gz", { headers })).status).toBe(404);
});

it("says that the page is missing where it was not built", async () => {
  const { ask, enter } = await serve({ pageFolder: "/nowhere" });
  const { status, text } = await ask("/", { headers: { ...(await enter()), accept: "text/html" } });
  expect(status).toBe(503);
  expect(text).toContain("no dashboard page");
});

function createPageFolder() {
  const project = createProject();
  const files = { "index.html": "<p>the page</p>", "assets/app-1.js": "run()" };
  for (const [name, text] of Object.entries(files)) {
    project.write(`${name}.gz`, "");
    writeFileSync(`${project.root}/${name}.gz`, gzipSync(text));
  }
  return project;
}
