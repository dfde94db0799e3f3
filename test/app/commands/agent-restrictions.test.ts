import { createHash } from "node:crypto";
import { readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { createFace, makeWorld } from "../world.ts";

const approval = "steps: [{ id: one, type: action, instructions: One, gate: [{ approval: human }] }]";

describe("what holds an agent", () => {
  it("cannot be changed, resumed or removed from its own shell", async () => {
    const world = makeWorld();
    world.workflow("own", approval);
    const agent = world.agent("s1");
    const { runId = "" } = await agent.ok("start", { workflow: "own" });
    world.workflow("own", "steps: [{ id: one, type: action, instructions: One }]");
    expect(await agent.no("adopt")).toMatchObject({ code: "person-needed", what: "adopting a changed workflow" });
    await world.person().ok("pause");
    expect(await agent.no("resume")).toMatchObject({ code: "person-needed", what: "resuming a run" });
    await world.person().ok("abort");
    expect(await agent.no("rm", { run: runId, yes: true })).toMatchObject({ code: "person-needed" });
    expect(await agent.no("gc", { days: 0, yes: true })).toMatchObject({ code: "person-needed" });
    expect((await world.person().ok("rm", { run: runId, yes: true })).removed).toEqual([runId]);
  });

  it("is more than a hundred gates, when there are so many", async () => {
    const world = makeWorld();
    world.write("f", "x");
    const gates = Array.from({ length: 101 }, () => "{ exists: f }").join(", ");
    world.workflow("own", `steps: [{ id: one, type: action, instructions: One, gate: [${gates}] }]`);
    await world.agent("s1").ok("start", { workflow: "own" });
    expect(await world.agent("s1").ok("advance")).toMatchObject({ status: "complete" });
  });

  it("is told by the journal when a snapshot was made to say something else", async () => {
    const world = makeWorld();
    world.workflow(
      "own",
      `steps:\n  - { id: many, type: ralph, n: 300, instructions: Again }\n  - ${approval.slice(8, -1)}`,
    );
    const agent = world.agent("s1");
    const { runId = "" } = await agent.ok("start", { workflow: "own" });
    for (let n = 0; n < 300; n++) await agent.ok("advance");
    // A process leaves a snapshot with its first commit.
    await world.agent("s1").no("advance");
    const file = join(world.runFolder(runId), "snapshot.json");
    forge(file);
    await expect(world.agent("s2").ask("log", { run: runId })).rejects.toMatchObject({ code: "state-broken" });
  });
});

/** Says in a snapshot that the approval was given, with a hash that fits. */
function forge(file: string): void {
  const text = readFileSync(file, "utf8").replace(/"approval":"(none|requested)"/, '"approval":"given"');
  const body = text.replace(/,"hash":"[0-9a-f]{64}"\}$/, "");
  writeFileSync(file, `${body},"hash":"${createHash("sha256").update(body).digest("hex")}"}`);
}

it("starts at the same moment end in one run", async () => {
  const world = makeWorld();
  world.workflow("own", approval);
  const agents = Array.from({ length: 6 }, (_, n) => world.agent(`s${n}`));
  const replies = await Promise.all(agents.map((agent) => agent.ok("start", { workflow: "own" })));
  expect(new Set(replies.map(({ runId }) => runId)).size).toBe(1);
  expect((await world.agent("s9").ok("runs")).runs).toHaveLength(1);
});

it("a start that is overtaken by a later one ends in the run of that one", async () => {
  const world = makeWorld();
  world.workflow("own", approval);
  const { deps } = world.agent("s1");
  let overtaken: string | undefined;
  const journal: typeof deps.journal = {
    ...deps.journal,
    async append(...commit) {
      overtaken ??= (await world.agent("s2").ok("start", { workflow: "own" })).runId;
      return deps.journal.append(...commit);
    },
  };
  const slow = await createFace({ ...deps, journal }).ok("start", { workflow: "own" });
  expect(slow.runId).toBe(overtaken);
  expect((await world.agent("s3").ok("runs")).runs.map(({ runId }) => runId)).toEqual([overtaken]);
});

it("a workflow that cannot be read does not hide the others", async () => {
  const world = makeWorld();
  world.workflow("own", approval);
  symlinkSync("nowhere", join(world.project, ".holdfast/workflows/gone.yaml"));
  const { workflows } = await world.agent().ok("list");
  expect(workflows.filter(({ origin }) => origin === "project")).toMatchObject([
    { name: "gone", valid: false },
    { name: "own", valid: true },
  ]);
});

it("a run without its template can be removed", async () => {
  const world = makeWorld();
  world.workflow("own", approval);
  const { runId = "" } = await world.agent("s1").ok("start", { workflow: "own" });
  const folder = world.runFolder(runId);
  for (const name of readdirSync(folder).filter((file) => file.startsWith("template"))) rmSync(join(folder, name));
  expect((await world.person().ok("rm", { run: runId, yes: true })).removed).toEqual([runId]);
});
