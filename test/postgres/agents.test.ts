import { afterEach, beforeEach, expect, test } from "vitest";
import type { Project } from "../cli/program.ts";
import { serve } from "../mcp/serve.ts";
import { at, makeDatabase, type TestDatabase } from "./database.ts";
import { type FaultyProxy, startProxy } from "./proxy.ts";
import { type Machine, makeTeam } from "./team.ts";

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
