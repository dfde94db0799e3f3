import { readdirSync } from "node:fs";
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
