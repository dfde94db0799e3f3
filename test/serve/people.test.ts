import { basename } from "node:path";
import { afterEach, expect, it } from "vitest";
import { approvedPlan, type ServedProject, serveProject } from "./serving.ts";

let served: ServedProject | undefined;
afterEach(() => served?.close());

it("a person on the page approves, and the journal tells that it was there", async () => {
  served = await serveProject({}, approvedPlan);
  const { ask, enter, page, id, project } = served;
  await project.holdfast(["advance", "--output", "the plan"]);
  const cookie = await enter();
  expect((await ask("/api/me", { headers: cookie })).json).toMatchObject({ level: "person", name: "ada" });
  const approved = await ask(`/api/projects/${id}/approve`, { headers: { ...cookie, ...page }, body: {} });
  expect(approved.json).toMatchObject({ decided: { decision: "approved", by: "ada" } });
  const { json: log } = await ask(`/api/projects/${id}/log`, { headers: cookie });
  expect(log.events).toContainEqual(
    expect.objectContaining({
      type: "approval-given",
      by: "ada",
      via: "dashboard",
      seat: { terminal: "pts/1", programs: ["bash"] },
    }),
  );
});

it("a server without a person only reads", async () => {
  served = await serveProject({ person: null }, approvedPlan);
  const { ask, enter, page, id, project } = served;
  await project.holdfast(["advance", "--output", "the plan"]);
  const cookie = await enter();
  expect((await ask("/api/me", { headers: cookie })).json).toMatchObject({ level: "read" });
  expect((await ask(`/api/projects/${id}/status`, { headers: cookie })).status).toBe(200);
  const before = project.journal();
  const approved = await ask(`/api/projects/${id}/approve`, { headers: { ...cookie, ...page }, body: {} });
  expect(approved.status).toBe(403);
  expect(approved.json.error).toMatchObject({ code: "level-too-low" });
  expect(project.journal()).toBe(before);
});

it("a server without a person promises no new link with Enter, and tells the page that it only reads", async () => {
  served = await serveProject({ person: null });
  const { server, ask, enter } = served;
  const path = new URL(server.makeLink()).pathname;
  await ask(path);
  for (const { text } of [await ask(path), await ask("/api/me")]) {
    expect(text).toContain("tart `holdfast serve` again");
    expect(text).not.toContain("Enter");
  }
  expect((await ask("/api/me", { headers: await enter() })).json).toMatchObject({ isReadOnly: true });
});

it.each([
  ["a program that checks links", { method: "HEAD" }],
  ["a browser that prefetches", { headers: { "sec-purpose": "prefetch;prerender" } }],
])("%s does not use a link up", async (_who, asked) => {
  served = await serveProject();
  const path = new URL(served.server.makeLink()).pathname;
  const looked = await served.ask(path, asked);
  expect([looked.status, looked.headers["set-cookie"]]).toEqual([503, undefined]);
  expect((await served.ask(path)).headers["set-cookie"]).toHaveLength(2);
});

it("everything that a person does on the page is recorded as done there", async () => {
  served = await serveProject({}, approvedPlan);
  const { ask, enter, page, id, project } = served;
  const headers = { ...(await enter()), ...page };
  const act = (operation: string, body: object) => ask(`/api/projects/${id}/${operation}`, { headers, body });
  await project.holdfast(["ask", "Which colour?"]);
  const acts: readonly (readonly [operation: string, body: object])[] = [
    ["answer", { answer: "blue" }],
    ["tell", { text: "Use the palette." }],
    ["pause", { reason: "lunch" }],
    ["resume", {}],
    ["goto", { step: "build", reason: "the plan is known" }],
    ["abort", { yes: true }],
    ["reopen", { run: "plan" }],
  ];
  for (const [operation, body] of acts)
    expect([operation, (await act(operation, body)).status]).toEqual([operation, 200]);
  const { json: log } = await ask(`/api/projects/${id}/log`, { headers });
  const recorded = log.events.filter(({ by }: { by?: string }) => by !== undefined);
  expect(recorded.map(({ type, via }: { type: string; via: string }) => [type, via])).toEqual([
    ["question-answered", "dashboard"],
    ["agent-told", "dashboard"],
    ["run-paused", "dashboard"],
    ["run-resumed", "dashboard"],
    ["run-redirected", "dashboard"],
    ["run-aborted", "dashboard"],
    ["run-reopened", "dashboard"],
  ]);
});

const parallel = `
name: plan
description: Is planned, and built by several.
steps:
  - { id: plan, type: action, instructions: Plan, gate: [{ approval: human }] }
  - { id: build, type: loop, parallel: 2 }
loops:
  build: [{ id: implement, instructions: Build }]
`;

it("so are a rejection, a decision, a release, a withdrawal and a reset", async () => {
  served = await serveProject({}, parallel);
  const { ask, enter, page, id, project } = served;
  const run = basename(project.runFolder());
  const headers = { ...(await enter()), ...page };
  const act = async (operation: string, body: object = {}) => {
    const { status, text } = await ask(`/api/projects/${id}/${operation}`, { headers, body });
    expect([status, operation, text]).toEqual([200, operation, text]);
  };
  const agent = (...words: readonly string[]) => project.holdfast([...words, "--session", "s1"]);
  await agent("ask", "Which colour?");
  await act("withdraw");
  await agent("fail", "--reason", "broken");
  await act("decide", { verdict: "retry" });
  await agent("next");
  await agent("advance", "--output", "the plan");
  await act("reject", { reason: "too long" });
  await agent("next");
  await agent("advance", "--output", "the plan");
  await act("approve");
  await agent("advance", "--output", "the plan");
  await agent("tasks", "build", "--file", project.write("tasks.txt", "One\nTwo\n"));
  await agent("next");
  await act("release", { task: "t1" });
  await act("reset");
  const { json: log } = await ask(`/api/projects/${id}/log?run=${run}`, { headers });
  const recorded = log.events.filter(({ by }: { by?: string }) => by !== undefined);
  expect(recorded.map(({ type, by, via }: { type: string; by: string; via: string }) => [type, by, via])).toEqual([
    ["question-withdrawn", "ada", "dashboard"],
    ["failure-decided", "ada", "dashboard"],
    ["approval-refused", "ada", "dashboard"],
    ["approval-given", "ada", "dashboard"],
    ["claim-released", "ada", "dashboard"],
    ["run-aborted", "ada", "dashboard"],
  ]);
});
