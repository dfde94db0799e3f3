import { readFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, expect, onTestFinished, test } from "vitest";
import { startPostgres } from "../../scripts/postgres-server.ts";
import { migratePostgres } from "../../src/store/postgres/postgres-store.ts";
import type { Project } from "../cli/program.ts";
import { serve } from "../mcp/serve.ts";
import { at, makeDatabase, type TestDatabase } from "./database.ts";
import { type FaultyProxy, startProxy } from "./proxy.ts";
import { expectDone, type Machine, makeTeam } from "./team.ts";

let database: TestDatabase;
let proxy: FaultyProxy;
beforeEach(async () => {
  database = await makeDatabase();
  proxy = await startProxy(Number(new URL(database.url).port));
});
afterEach(async () => {
  await proxy.close();
  await database.drop();
});

/** What `serve` needs of a project. */
function asProject(machine: Machine): Project {
  const { clone: root, home, env, begin } = machine;
  return { root, home, env, begin: (words, { env: more } = {}) => begin(words, more) } as Partial<Project> as Project;
}

test("an agent's server goes on with a colleague's run, and says so when the database is away", async () => {
  const team = makeTeam({ url: at(database.url, { port: String(proxy.port) }) });
  const [ann, bob] = [await team.join("ann"), await team.join("bob")];
  const { runId } = await ann.json(["start", "steps"]);
  const server = await serve(asProject(bob), { env: { HOLDFAST_SESSION: "b" } });
  try {
    expect(await server.ok("workflow_status", { run_id: runId })).toMatchObject({ step: "first" });
    expect(await server.ok("workflow_advance", { output: "one", run_id: runId })).toMatchObject({ step: "second" });
    // From now on it is the session's own.
    expect(await server.ok("workflow_status")).toMatchObject({ runId, step: "second" });
    proxy.refuse(true);
    proxy.cut();
    expect(await server.no("workflow_advance", { output: "two" })).toMatchObject({ code: "store-unreachable" });
    proxy.refuse(false);
    expect(await server.no("workflow_advance", { output: "two" })).toMatchObject({ code: "approval-needed" });
  } finally {
    await server.close();
  }
});

test("an agent is told as of when a run is and why while the database is away, until it was asked again", async () => {
  const team = makeTeam({ url: at(database.url, { port: String(proxy.port) }) });
  const [ann, bob] = [await team.join("ann"), await team.join("bob", { url: database.url })];
  const server = await serve(asProject(ann), { env: { HOLDFAST_SESSION: "a" } });
  const stale = { asOf: expect.stringMatching(/^20.*Z$/), storeProblem: expect.stringContaining("cannot be reached") };
  try {
    const { runId } = await server.ok("workflow_start", { workflow: "steps" });
    expect(await server.ok("workflow_status")).not.toHaveProperty("storeProblem");
    proxy.refuse(true);
    proxy.cut();
    for (const tool of ["workflow_status", "workflow_context", "workflow_list"]) {
      const { content, structuredContent } = await server.call(tool);
      expect(structuredContent, tool).toMatchObject(stale);
      expect(JSON.parse(content[0].text), tool).toMatchObject(stale);
    }
    for (const words of [["next"], ["context"], ["log"]]) {
      expect(await ann.json([...words, "--run", runId]), words[0]).toMatchObject(stale);
    }
    expectDone(await bob.holdfast(["advance", "--output", "one", "--run", runId]));
    proxy.refuse(false);
    const seen = await followed(async () => server.ok("workflow_status"), "second");
    // Whoever is not told the new step is told that this is a copy.
    expect(seen.filter(({ step, asOf }) => step === "first" && asOf === undefined)).toEqual([]);
    expect(seen.at(-1)).not.toHaveProperty("asOf");
    expect(seen.at(-1)).not.toHaveProperty("storeProblem");
    expect(await ann.json(["next", "--run", runId])).not.toHaveProperty("storeProblem");
  } finally {
    await server.close();
  }
});

test("an agent's server tells that the run was removed, lists it no more, and goes on with it when it is back", async () => {
  const team = makeTeam(database);
  const [ann, bob] = [await team.join("ann"), await team.join("bob")];
  const server = await serve(asProject(ann), { env: { HOLDFAST_SESSION: "a" } });
  const mark = () => readFileSync(join(ann.clone, ".holdfast/runs", runId, "copy.json"), "utf8");
  const { runId } = await server.ok("workflow_start", { workflow: "steps" });
  try {
    const exported = join(bob.home, "run.holdfast");
    expectDone(await bob.holdfast(["export", runId, "-o", exported]));
    expect((await server.ok("workflow_list")).runs).toMatchObject([{ runId }]);
    expectDone(await bob.person(["abort", "--run", runId]));
    expectDone(await bob.holdfast(["rm", runId, "--yes"]));
    expect((await server.ok("workflow_list")).runs).toEqual([]);
    expect(await server.no("workflow_status")).toMatchObject({ code: "run-removed" });
    expect(mark()).toContain("removed");
    expectDone(await bob.person(["import", exported]));
    expect(await server.ok("workflow_status")).toMatchObject({ runId, step: "first" });
    expect(mark()).not.toContain("removed");
    expect((await server.ok("workflow_list")).runs).toMatchObject([{ runId }]);
  } finally {
    await server.close();
  }
});

/** Everything that was read until a step was reached. */
async function followed(read: () => Promise<{ step: string; asOf?: string }>, step: string) {
  const seen: { step: string; asOf?: string }[] = [];
  const look = async () => {
    seen.push(await read());
    return seen.at(-1)?.step;
  };
  await expect.poll(look, { timeout: 20_000, interval: 200 }).toBe(step);
  return seen;
}

test("an advance whose outcome stayed unknown can be repeated, and counts once", async () => {
  const team = makeTeam({ url: at(database.url, { port: String(proxy.port) }) });
  const ann = await team.join("ann");
  const server = await serve(asProject(ann), { env: { HOLDFAST_SESSION: "a" } });
  try {
    const { runId, token } = await server.ok("workflow_start", { workflow: "steps" });
    // The database stores it; the answer, and every further attempt, is lost.
    proxy.loseAnswerTo("holdfast_move_run");
    const advance = { output: "one", token };
    const unknown = await server.no("workflow_advance", advance);
    expect(unknown).toMatchObject({
      code: "store-unreachable",
      message: expect.stringContaining("may have been stored"),
    });
    expect(unknown.next).toContain("read the run again");
    proxy.refuse(false);
    const again = await server.call("workflow_advance", advance);
    expect(JSON.stringify(again)).toContain("second");
    expect(await server.ok("workflow_status")).toMatchObject({ runId, step: "second" });
    const ended = ann.journal(runId).split('"type":"visit-ended"').length - 1;
    expect(ended).toBe(1);
  } finally {
    await server.close();
  }
});

test("an agent's server outlives restarts of the database between its calls", async () => {
  const own = await startPostgres({ durable: false });
  onTestFinished(() => own.stop());
  await migratePostgres({ url: own.url });
  const ann = await makeTeam(own).join("ann");
  const server = await serve(asProject(ann), { env: { HOLDFAST_SESSION: "a" } });
  try {
    const { runId } = await server.ok("workflow_start", { workflow: "steps" });
    await own.restart("fast");
    expect(await server.ok("workflow_advance", { output: "one" })).toMatchObject({ runId, step: "second" });
    await own.halt();
    const away = await server.no("workflow_advance", { output: "two" });
    expect(away).toMatchObject({ code: "store-unreachable", next: expect.stringContaining("then try again") });
    expect(await server.ok("workflow_status")).toMatchObject({ runId, step: "second" });
    await own.start();
    expect(await server.no("workflow_advance", { output: "two" })).toMatchObject({ code: "approval-needed" });
  } finally {
    await server.close();
  }
});

test("an agent's server renews the lease of a claim until somebody ends the claim", async () => {
  const team = makeTeam(database);
  const [ann, bob] = [await team.join("ann"), await team.join("bob")];
  const tasks = JSON.stringify([{ id: "t1", title: "One" }]);
  const server = await serve(asProject(ann), { env: { HOLDFAST_SESSION: "a", HOLDFAST_LEASE_SECONDS: "0.6" } });
  const begin = async () => {
    const { runId } = await ann.json(["start", "many", "--new"], { HOLDFAST_SESSION: "a" });
    expectDone(await ann.holdfast(["tasks", "build", "--run", runId], { HOLDFAST_SESSION: "a" }, tasks));
    await server.ok("workflow_status", { run_id: runId });
    return String(runId);
  };
  const lease = async (run: string) =>
    (await database.query("SELECT at FROM holdfast.leases WHERE run = $1 AND claim > 0", [run]))[0]?.at;
  /** Both timers have the same pace. */
  const renewals = async (run: string, times: number) => {
    for (let time = 0; time < times; time++) {
      const before = await lease(run);
      await expect.poll(() => lease(run)).not.toBe(before);
    }
  };
  try {
    const [aborted, other] = [await begin(), await begin()];
    await renewals(aborted, 1);
    expectDone(await bob.person(["abort", "--run", aborted]));
    await renewals(other, 3);
    expect([await lease(aborted), await lease(other)]).toEqual([undefined, expect.any(String)]);
  } finally {
    await server.close();
  }
});

test("hooks answer from the copy while the database is away, and what they noticed is recorded later, once", async () => {
  const team = makeTeam({ url: at(database.url, { port: String(proxy.port) }) });
  const ann = await team.join("ann");
  const as = { HOLDFAST_SESSION: "s1" };
  const { runId } = await ann.json(["start", "steps"], as);
  proxy.refuse(true);
  const hook = (event: string, more: object) =>
    ann.holdfast(["hook", event, "--host", "claude"], {}, JSON.stringify({ session_id: "s1", ...more }));
  const started = await hook("SessionStart", { hook_event_name: "SessionStart", source: "compact", cwd: ann.clone });
  expect([started.code, started.stdout]).toEqual([0, expect.stringContaining("Do the first")]);
  expect((await ann.holdfast(["advance", "--output", "x"], as)).stderr).toContain("store-unreachable");
  const before = await ann.holdfast(["store", "status", "--json"]);
  expect(JSON.parse(before.stdout).copies.queuedNotices).toBeGreaterThan(0);
  proxy.refuse(false);
  await ann.json(["next", "--run", runId], as);
  expect(await ann.json(["store", "status"])).toMatchObject({ copies: { queuedNotices: 0, behind: [], ahead: [] } });
  const rows = await database.query("SELECT line FROM holdfast.commits ORDER BY version");
  const seen = rows.map(({ line }) => String(line)).join("\n");
  expect(seen.split('"session-started"').length - 1).toBe(1);
  const after = seen.length;
  await ann.json(["next", "--run", runId], as);
  const again = await database.query("SELECT line FROM holdfast.commits ORDER BY version");
  expect(again.map(({ line }) => String(line)).join("\n").length).toBe(after);
});
