import { afterEach, beforeEach, expect, onTestFinished, test } from "vitest";
import { findUser } from "../../src/project/find-user.ts";
import { rememberProject } from "../../src/project/known-projects.ts";
import type { LiveMessage } from "../../src/serve/contract/contract.ts";
import { type RunningServer, startServer } from "../../src/serve/server.ts";
import { ada, askServer, enterWith } from "../serve/serving.ts";
import { at, makeDatabase, type TestDatabase } from "./database.ts";
import { type FaultyProxy, startProxy } from "./proxy.ts";
import { expectDone, type Machine, makeTeam, type Team } from "./team.ts";

let database: TestDatabase;
let team: Team;
let proxy: FaultyProxy;
beforeEach(async () => {
  database = await makeDatabase();
  proxy = await startProxy(Number(new URL(database.url).port));
  team = makeTeam(database);
});
afterEach(async () => {
  await proxy.close();
  await database.drop();
});

/** Bob serves the dashboard, over a network that can fail; Ann works elsewhere. */
async function pair(): Promise<[Machine, Machine]> {
  const url = at(database.url, { port: String(proxy.port) });
  return [await team.join("ann"), await team.join("bob", { url })];
}

async function serve(machine: Machine) {
  rememberProject(findUser(machine.env), machine.clone);
  const server = await startServer({
    env: machine.env,
    port: 0,
    host: "127.0.0.1",
    proxy: null,
    person: ada,
    pageFolder: `${machine.home}/no-page`,
    report: (error) => {
      throw error;
    },
  });
  onTestFinished(() => server.close());
  const browser = await enterWith(server);
  const project = server.projects[0]?.id ?? "";
  const page = { ...browser, "x-holdfast": "page", origin: `http://127.0.0.1:${server.port}` };
  return {
    server,
    runs: async () => (await askServer(server.port, "/api/runs", { headers: browser })).json,
    inbox: async () => (await askServer(server.port, "/api/inbox", { headers: browser })).json,
    async ask(path: string, body?: unknown) {
      const address = `/api/projects/${project}/${path}`;
      return askServer(server.port, address, { headers: page, ...(body !== undefined && { body }) });
    },
    live: () => listen(server, browser),
  };
}

/** What the page is told, as it comes. */
async function listen({ port }: RunningServer, headers: Readonly<Record<string, string>>) {
  const told: LiveMessage[] = [];
  const leaving = new AbortController();
  const answer = await fetch(`http://127.0.0.1:${port}/api/live`, { headers, signal: leaving.signal });
  const reading = async () => {
    let text = "";
    for await (const chunk of answer.body?.pipeThrough(new TextDecoderStream()) ?? []) {
      const blocks = (text + chunk).split("\n\n");
      text = blocks.pop() ?? "";
      for (const block of blocks) {
        const line = block.split("\n").find((each) => each.startsWith("data: "));
        if (line !== undefined) told.push(JSON.parse(line.slice(6)));
      }
    }
  };
  reading().catch(() => {});
  onTestFinished(() => leaving.abort());
  return {
    told,
    /** The card of a run as the page was told last. */
    card: (runId: string) =>
      told.findLast((message) => message.type === "run" && message.card.runId === runId) as
        | Extract<LiveMessage, { type: "run" }>
        | undefined,
    leave: () => leaving.abort(),
  };
}

const soon = { timeout: 30_000 };

test("the dashboard shows the runs of the team, tells of those that others start and advance, and opens them", async () => {
  const [ann, bob] = await pair();
  const { runId } = await ann.json(["start", "steps", "Ann's own"]);
  const dashboard = await serve(bob);
  expect(await dashboard.runs()).toMatchObject({
    counts: { working: 1 },
    cards: [{ runId, summary: "Ann's own", step: "first", column: "working", here: false }],
    teams: [{ more: 0 }],
  });
  const live = await dashboard.live();
  // From here on it follows.
  await expect.poll(() => live.told, soon).toContainEqual({ type: "reset" });
  const other = await ann.json(["start", "many", "Another", "--new"]);
  await expect.poll(() => live.card(other.runId)?.card, soon).toMatchObject({ summary: "Another", here: false });
  await ann.json(["advance", "--run", runId, "--output", "one"]);
  await expect.poll(() => live.card(runId)?.card, soon).toMatchObject({ step: "second", here: false });
  // Opening it fetches its copy, which is then followed.
  expect((await dashboard.ask(`status?run=${runId}`)).json).toMatchObject({ runId, step: "second" });
  expect(bob.journal(runId)).toBe(ann.journal(runId));
  await ann.holdfast(["advance", "--run", runId, "--output", "two"]);
  await expect.poll(() => live.card(runId)?.card, soon).toMatchObject({ column: "needs-you" });
  expect(live.card(runId)?.card.here).toBeUndefined();
  expect(live.told).toContainEqual(expect.objectContaining({ type: "moved", runId }));
  expect(bob.journal(runId)).toBe(ann.journal(runId));
});

test("an approval on the dashboard counts for the machine that waits for it", async () => {
  const [ann, bob] = await pair();
  const { runId } = await ann.json(["start", "steps"]);
  await ann.json(["advance", "--output", "one"]);
  expect((await ann.holdfast(["advance", "--output", "two"])).stderr).toContain("approval-needed");
  const dashboard = await serve(bob);
  expect(await dashboard.runs()).toMatchObject({ cards: [{ runId, column: "needs-you", here: false }] });
  // The files of Bob's clone say nothing about Ann's work.
  bob.write("src/app.ts", "export const app = 2;\n");
  const evidence = expect.arrayContaining([
    expect.objectContaining({ title: "Changes", text: expect.stringContaining("Nobody has worked") }),
  ]);
  expect(await dashboard.inbox()).toMatchObject([{ runId, kind: "approval", evidence }]);
  expect(JSON.stringify(await dashboard.inbox())).not.toContain("app.ts");
  expect((await dashboard.ask("approve", { run: runId })).status).toBe(200);
  expect(await ann.json(["advance", "--output", "two"])).toMatchObject({ step: "third" });
  // Bob's agents have nothing to do with it, and Bob's files are still not Ann's.
  expect((await bob.holdfast(["status"])).stderr).toContain("run-unknown");
  await ann.json(["ask", "Which one?", "--run", runId]);
  await expect.poll(dashboard.inbox, soon).toMatchObject([{ runId, kind: "answer", evidence }]);
});

test("whoever works on another task of the loop does not see their own changes as those of a colleague's task", async () => {
  const [ann, bob] = await pair();
  const [work, own] = [ann.worktree("wt"), bob.worktree("wt")];
  ann.write(
    ".holdfast/workflows/gated.yaml",
    `name: gated\ndescription: Tasks that a person approves\nsteps: [{ id: build, type: loop, parallel: 4 }]
loops: { build: [{ id: work, instructions: Work, gate: [{ run: pwd }, { approval: human }] }] }\n`,
  );
  expectDone(await ann.person(["trust", "gated", "--yes"]));
  const { runId } = await ann.json(["start", "gated"]);
  const tasks = ["t1", "t2", "t3"].map((id) => ({ id, title: id }));
  expectDone(await ann.holdfast(["tasks", "build", "--run", runId], { HOLDFAST_SESSION: "t1" }, JSON.stringify(tasks)));
  const claim = (machine: Machine, task: string) =>
    machine.json(["next", "--run", runId, "--task", task], { HOLDFAST_SESSION: task });
  for (const [machine, task] of [
    [ann, "t1"],
    [work, "t2"],
  ] as const) {
    await claim(machine, task);
    const asked = await machine.holdfast(["advance", "--run", runId, "--output", "x"], { HOLDFAST_SESSION: task });
    expect(asked.stderr).toContain("approval-needed");
  }
  await claim(bob, "t3");
  for (const machine of [bob, own]) machine.write("src/app.ts", "export const app = 2;\n");
  const items = await (await serve(bob)).inbox();
  const changes = expect.objectContaining({ title: "Changes", text: expect.stringContaining("in another clone") });
  const evidence = expect.arrayContaining([changes, expect.objectContaining({ text: "{project_root}\n" })]);
  expect(items).toMatchObject([
    { task: "t1", evidence },
    { task: "t2", evidence },
  ]);
  expect(JSON.stringify(items)).not.toMatch(/app\.ts|\/bob\//);
  // Where she works they are shown.
  ann.write("src/app.ts", "export const app = 3;\n");
  expect(JSON.stringify((await (await serve(ann)).inbox())[0])).toContain("app.ts");
});

test("what waits in one task of a loop is in every inbox of the team while the others go on", async () => {
  const [ann, bob] = await pair();
  const { runId } = await ann.json(["start", "many"]);
  const tasks = JSON.stringify([
    { id: "a", title: "A" },
    { id: "b", title: "B" },
  ]);
  await ann.holdfast(["tasks", "build"], { HOLDFAST_SESSION: "a0" }, tasks);
  await ann.json(["next"], { HOLDFAST_SESSION: "a0" });
  await ann.json(["ask", "Which one?"], { HOLDFAST_SESSION: "a0" });
  expect(await ann.json(["status"])).toMatchObject({ status: "running" });
  const dashboard = await serve(bob);
  expect(await dashboard.inbox()).toMatchObject([{ runId, kind: "answer" }]);
});

test("without the database the dashboard shows the copies, says as of when, and catches up afterwards", async () => {
  const [ann, bob] = await pair();
  const { runId } = await bob.json(["start", "steps", "Bob's own"]);
  const { runId: elsewhere } = await ann.json(["start", "steps", "Ann's own"]);
  const dashboard = await serve(bob);
  const live = await dashboard.live();
  await expect.poll(() => live.told, soon).toContainEqual({ type: "reset" });
  expect((await dashboard.runs()).cards).toHaveLength(2);
  live.told.length = 0;
  proxy.refuse(true);
  proxy.cut();
  // The page is told to read anew, and then shows since when it is.
  await expect.poll(() => live.told, soon).toContainEqual({ type: "reset" });
  const cut = await dashboard.runs();
  expect(cut.cards).toMatchObject([{ runId }]);
  expect(cut.teams).toMatchObject([{ asOf: expect.stringMatching(/^20.*Z$/), problem: expect.any(String) }]);
  const refused = await dashboard.ask("pause", { run: runId });
  expect(refused.json.error).toMatchObject({ code: "store-unreachable" });
  expect(refused.text).not.toContain(new URL(database.url).password);
  await ann.json(["advance", "--run", runId, "--output", "one"]);
  live.told.length = 0;
  proxy.refuse(false);
  await expect.poll(() => live.told, soon).toContainEqual({ type: "reset" });
  await expect.poll(() => live.card(runId)?.card, soon).toMatchObject({ step: "second" });
  const back = await dashboard.runs();
  expect(back.teams).toEqual([{ project: expect.any(String), more: 0 }]);
  expect(back.cards.map((card: { runId: string }) => card.runId).sort()).toEqual([elsewhere, runId].sort());
});

test("a database that never answers does not keep the server from ending", async () => {
  const [, bob] = await pair();
  await bob.json(["start", "steps", "Bob's own"]);
  const dashboard = await serve(bob);
  const live = await dashboard.live();
  await expect.poll(() => live.told, soon).toContainEqual({ type: "reset" });
  proxy.freeze();
  await dashboard.server.close();
  proxy.cut();
  await expect.poll(() => database.connections(), soon).toBe(0);
});

test("no connection is left when the server ends", async () => {
  const [, bob] = await pair();
  await bob.json(["start", "steps"]);
  const dashboard = await serve(bob);
  const live = await dashboard.live();
  await expect.poll(() => live.told, soon).toContainEqual({ type: "reset" });
  expect(await database.connections()).toBeGreaterThan(0);
  await dashboard.server.close();
  expect(await database.connections()).toBe(0);
});
