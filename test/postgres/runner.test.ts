import { chmodSync, existsSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { type PostgresServer, startPostgres } from "../../scripts/postgres-server.ts";
import { migratePostgres } from "../../src/store/postgres/postgres-store.ts";
import { type Ended, ended } from "../cli/program.ts";
import { type Machine, makeTeam, type Team } from "./team.ts";

/** A server of its own, because it is stopped. */
let server: PostgresServer;
let team: Team;
beforeEach(async () => {
  server = await startPostgres({ durable: false });
  await migratePostgres({ url: server.url });
  team = makeTeam(server);
});
afterEach(() => server.stop());

const workflow = `name: boat
description: Two steps
steps:
  - { id: plan, type: action, instructions: Plan the boat }
  - { id: build, type: action, instructions: Build the boat }
`;

/** Says that it works, and goes on when it is told to. */
const agent = `#!/bin/sh
cat > /dev/null
echo turn >> turns.log
touch working
while test -e hold; do sleep 0.1; done
rm working
echo '{"usage": {"turns": 1, "tokens": 10}}'
echo "done"
`;

async function boat(name: string): Promise<Machine> {
  const machine = await team.join(name);
  machine.write(".holdfast/workflows/boat.yaml", workflow);
  machine.write("agent.sh", agent);
  chmodSync(join(machine.clone, "agent.sh"), 0o755);
  return machine;
}

function drive(machine: Machine, words: readonly string[]) {
  const child = machine.begin(["run", ...words, "--agent", "command:./agent.sh", "--yes"], {
    HOLDFAST_LEASE_SECONDS: "2",
  });
  let text = "";
  child.stdout.on("data", (chunk) => {
    text += chunk;
  });
  return { pid: child.pid ?? 0, shown: () => text, end: ended(child) };
}

const soon = { timeout: 60_000 };
const isThere = (machine: Machine, name: string) => expect.poll(() => existsSync(join(machine.clone, name)), soon);
const turns = ({ clone }: Machine) => readFileSync(join(clone, "turns.log"), "utf8").split("\n").length - 1;

async function onlyRun(machine: Machine): Promise<string> {
  const { runs } = await machine.json(["runs"]);
  expect(runs).toHaveLength(1);
  return runs[0].runId;
}

/** How often each visit was ended. */
function endings(journal: string): string[] {
  const events = journal
    .trim()
    .split("\n")
    .flatMap((line) => JSON.parse(line).events ?? []);
  return events.filter(({ type }) => type === "visit-ended").map(({ token }) => token);
}

function expectComplete({ code, stdout, stderr }: Ended): void {
  expect([code, stderr, stdout]).toEqual([0, "", expect.stringContaining("complete")]);
}

test("a runner waits for a database that is away in the middle of a visit, and loses and doubles nothing", async () => {
  const ann = await boat("ann");
  ann.write("hold", "");
  const runner = drive(ann, ["boat"]);
  await isThere(ann, "working").toBe(true);
  await server.halt();
  await ann.holdfast(["status"]);
  // The agent answers while nothing can be recorded.
  rmSync(join(ann.clone, "hold"));
  await expect.poll(runner.shown, soon).toContain("waiting for the database at 127.0.0.1");
  await server.start();
  expectComplete(await runner.end);
  expect(runner.shown()).toContain("the database answers again");
  expect(turns(ann)).toBe(2);
  expect(endings(ann.journal(await onlyRun(ann)))).toEqual(["plan#1", "build#1"]);
});

test("a runner that is stopped while it waits leaves its result to the next one", async () => {
  const ann = await boat("ann");
  ann.write("hold", "");
  const runner = drive(ann, ["boat"]);
  await isThere(ann, "working").toBe(true);
  const runId = await onlyRun(ann);
  await server.halt();
  rmSync(join(ann.clone, "hold"));
  await expect.poll(runner.shown, soon).toContain("waiting for the database");
  process.kill(runner.pid, "SIGINT");
  expect((await runner.end).stderr).toContain(`holdfast run --resume ${runId}`);
  const refused = await drive(ann, ["--resume", runId]).end;
  expect(refused.stderr).toContain("store-unreachable");
  await server.start();
  expectComplete(await drive(ann, ["--resume", runId]).end);
  expect(turns(ann)).toBe(2);
  expect(endings(ann.journal(runId))).toEqual(["plan#1", "build#1"]);
});

/** Once the lease of the runner before is over. */
async function resumeWhenOver(machine: Machine, runId: string) {
  for (;;) {
    const ended = await drive(machine, ["--resume", runId]).end;
    if (!ended.stderr.includes("run-driven")) return ended;
  }
}

test("a run whose runner was killed goes on on another machine, once the lease is over", async () => {
  const [ann, bob] = [await boat("ann"), await boat("bob")];
  ann.write("hold", "");
  const runner = drive(ann, ["boat"]);
  await isThere(ann, "working").toBe(true);
  const runId = await onlyRun(ann);
  const early = await drive(bob, ["--resume", runId]).end;
  expect(early.stderr).toContain("run-driven");
  process.kill(runner.pid, "SIGKILL");
  await runner.end;
  rmSync(join(ann.clone, "hold"));
  expectComplete(await resumeWhenOver(bob, runId));
  expect(turns(bob)).toBe(2);
  expect(await ann.json(["status", "--run", runId])).toMatchObject({ status: "complete" });
  expect(endings(ann.journal(runId))).toEqual(["plan#1", "build#1"]);
  expect(ann.journal(runId)).toBe(bob.journal(runId));
});

test("a task whose runner was killed is claimed and checked on the machine that goes on with it", async () => {
  const [ann, bob] = [await boat("ann"), await boat("bob")];
  const loop = `name: boats
description: Tasks with a gate
steps: [{ id: build, type: loop, parallel: 2, tasks: { file: tasks.json } }]
loops: { build: [{ id: work, instructions: Work, gate: [{ exists: turns.log }] }] }
`;
  ann.write(".holdfast/workflows/boats.yaml", loop);
  for (const machine of [ann, bob]) machine.write("tasks.json", '[{ "id": "t1", "title": "One" }]');
  ann.write("hold", "");
  const runner = drive(ann, ["boats"]);
  await isThere(ann, "working").toBe(true);
  const runId = await onlyRun(ann);
  process.kill(runner.pid, "SIGKILL");
  await runner.end;
  rmSync(join(ann.clone, "hold"));
  expectComplete(await resumeWhenOver(bob, runId));
  expect(turns(bob)).toBe(1);
  expect(endings(bob.journal(runId))).toEqual(["build/t1/work#1@2"]);
});
