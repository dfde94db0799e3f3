import { existsSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { contextOf } from "../hooks/hook-program.ts";
import { makeDatabase, type TestDatabase } from "./database.ts";
import { expectDone, type Machine, makeTeam, session, tell } from "./team.ts";

let database: TestDatabase;
beforeEach(async () => {
  database = await makeDatabase();
});
afterEach(() => database.drop());

const as = { HOLDFAST_SESSION: session };

function queued({ clone }: Machine, runId: string): string[] {
  return readdirSync(join(clone, ".holdfast/runs", runId)).filter((name) => name.startsWith("notices"));
}

async function typesOf(machine: Machine, runId: string): Promise<string[]> {
  const lines = machine.journal(runId).trim().split("\n");
  return lines.flatMap((line) => JSON.parse(line).events.map(({ type }: { type: string }) => type));
}

const started = (types: readonly string[]) => types.filter((type) => type === "session-started").length;

test("what hooks have noticed reaches the other machines with the next command, once", async () => {
  const team = makeTeam(database);
  const [ann, bob] = [await team.join("ann"), await team.join("bob")];
  const { runId } = await ann.json(["start", "steps"], as);
  const before = await typesOf(ann, runId);
  expect(contextOf(await tell(ann, "SessionStart", { source: "resume" }))).toContain(runId);
  await tell(ann, "PreCompact", { trigger: "auto" });
  expect(await typesOf(ann, runId)).toEqual(before);
  expect(queued(ann, runId)).toHaveLength(1);
  await ann.json(["status"], as);
  await ann.json(["status"], as);
  expect(queued(ann, runId)).toEqual([]);
  const after = await typesOf(ann, runId);
  expect(after.slice(before.length)).toEqual(expect.arrayContaining(["session-started", "compaction-began"]));
  expect(started(after)).toBe(started(before) + 1);
  await bob.json(["status", "--run", runId]);
  expect(bob.journal(runId)).toBe(ann.journal(runId));
});

test("a run that moves to files takes along what hooks have queued about it", async () => {
  const ann = await makeTeam(database).join("ann");
  const { runId } = await ann.json(["start", "steps"], as);
  const before = await typesOf(ann, runId);
  await tell(ann, "PreCompact", { trigger: "auto" });
  expectDone(await ann.person(["store", "migrate", "--to", "files", "--yes"]));
  expect(queued(ann, runId)).toEqual([]);
  expect(await typesOf(ann, runId)).toEqual([...before, "compaction-began"]);
});

test("without the server the handoff comes from the copy and says as of when, and the notices wait", async () => {
  const team = makeTeam(database);
  const ann = await team.join("ann");
  const { runId } = await ann.json(["start", "steps"], as);
  const down = { ...as, HOLDFAST_DATABASE_URL: "postgres://ann:secret@127.0.0.1:1/shop" };
  const refused = await ann.holdfast(["advance", "--output", "one"], down);
  expect(refused.stderr).toContain("store-unreachable");
  expect(contextOf(await tell(ann, "SessionStart", { source: "resume" }))).toMatch(/This is as of .* UTC/);
  await tell(ann, "PreCompact", { trigger: "auto" });
  const status = await ann.holdfast(["status"], down);
  expect(status.stdout).toContain("as of");
  expect(queued(ann, runId)).toHaveLength(1);
  expect(await ann.json(["advance", "--output", "one"], as)).toMatchObject({ step: "second" });
  expect(queued(ann, runId)).toEqual([]);
  expect(await typesOf(ann, runId)).toEqual(expect.arrayContaining(["session-started", "compaction-began"]));
  expect(contextOf(await tell(ann, "SessionStart", { source: "resume" }))).not.toContain("as of");
});

const down = { HOLDFAST_DATABASE_URL: "postgres://ann:secret@127.0.0.1:1/shop" };

/** A session on one machine is in a run that a colleague has then removed; the journal that the colleague had before. */
async function removeUnder(): Promise<{ ann: Machine; bob: Machine; runId: string; exported: string }> {
  const team = makeTeam(database);
  const [ann, bob] = [await team.join("ann"), await team.join("bob")];
  const { runId } = await ann.json(["start", "steps"], as);
  const exported = join(bob.home, "run.json");
  expectDone(await bob.holdfast(["export", runId, "-o", exported]));
  expectDone(await bob.person(["abort", "--run", runId]));
  expectDone(await bob.holdfast(["rm", runId, "--yes"]));
  return { ann, bob, runId, exported };
}

async function statusLine(machine: Machine): Promise<string> {
  const input = JSON.stringify({ session_id: session, cwd: machine.clone });
  return expectDone(await machine.holdfast(["statusline"], {}, input)).stdout.trim();
}

test("once a command has found out that a run was removed, hooks say so once, and nothing takes it for live", async () => {
  const { ann, runId } = await removeUnder();
  expect(await statusLine(ann)).toContain("steps");
  expect((await ann.holdfast(["status"], as)).stderr).toContain("run-removed");
  expect(await statusLine(ann)).toBe("");
  await tell(ann, "PreCompact", { trigger: "auto" });
  const told = contextOf(await tell(ann, "SessionStart", { source: "compact" }));
  expect(told).toBe(
    `Holdfast: the run ${runId} of this conversation was removed by the team, so do not go on with it. A copy is left in .holdfast/runs/${runId}.`,
  );
  expect(contextOf(await tell(ann, "SessionStart", { source: "resume" }))).not.toContain(runId);
  expect(queued(ann, runId)).toEqual([]);
  for (const env of [{}, down]) {
    expect(await ann.json(["runs"], env)).toMatchObject({ runs: [] });
    expect((await ann.json(["list"], env)).runs).toEqual([]);
  }
  // Another run is not kept from anybody.
  const other = await ann.json(["start", "steps", "--new"], as);
  expect(await ann.json(["next"], { HOLDFAST_SESSION: "another" })).toMatchObject({ runId: other.runId });
  expect(await ann.json(["gc", "--yes"], down)).toMatchObject({ copies: [], kept: [runId] });
  expect(await ann.json(["gc", "--yes"])).toEqual({ removed: [], copies: [runId], kept: [] });
  expect(existsSync(join(ann.clone, ".holdfast/runs", runId))).toBe(false);
});

test("a run that comes back after it was removed is handed off again", async () => {
  const { ann, bob, runId, exported } = await removeUnder();
  expect((await ann.holdfast(["status"], as)).stderr).toContain("run-removed");
  expect(await statusLine(ann)).toBe("");
  expectDone(await bob.person(["import", exported]));
  expect(await ann.json(["status", "--run", runId])).toMatchObject({ runId, step: "first" });
  expect(await statusLine(ann)).toContain("step 1/3 first");
  expect(contextOf(await tell(ann, "SessionStart", { source: "resume" }))).toContain("in the middle of a workflow");
});
