import { appendFileSync, mkdirSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeEach, describe, expect, test } from "vitest";
import { sha256Hex } from "../../../src/platform/files.ts";
import { makePipe } from "../../store/project.ts";
import { makeWorld, type World } from "../world.ts";

let world: World;

beforeEach(() => {
  world = makeWorld();
});

const steps = `variables: { color: red }
steps:
  - { id: plan, type: action, instructions: "Plan in {vars.color}" }
  - { id: build, type: action, instructions: "Build after {outputs.plan}" }
  - { id: ship, type: action, instructions: Ship it }`;

/** A run at its third step, with all of its events. */
async function started() {
  world.workflow("walk", steps);
  const agent = world.agent("s1");
  const { runId } = await agent.ok("start", { workflow: "walk" });
  world.pass(5);
  await agent.ok("advance", { output: "the plan", variables: { color: "blue" } });
  world.pass(5);
  await agent.ok("advance", { output: "built" });
  return { runId, agent, events: await agent.events(runId) };
}

describe("the status at an event", () => {
  test("is what it was then: its step, its instructions, its time and nothing that came later", async () => {
    const { runId, events } = await started();
    const person = world.person();
    const build = events.find((event) => event.type === "visit-entered" && event.place.step === "build")?.seq ?? 0;
    expect(await person.ok("status", { run: runId, at: build })).toMatchObject({
      step: "build",
      instructions: expect.stringContaining("Build after the plan"),
      moment: { event: build, type: "visit-entered", at: "2026-01-31T00:05:00.000Z", last: events.length },
    });
    const ended = events.find((event) => event.type === "visit-ended")?.seq ?? 0;
    expect(await person.ok("status", { run: runId, at: ended - 1 })).toMatchObject({ step: "plan" });
    const then = await person.ok("overview", { run: runId, at: ended - 1 });
    expect(then.steps.map(({ status }) => status)).toEqual(["open", "ahead", "ahead"]);
    expect(then.until).toBe("2026-01-31T00:00:00.000Z");
    expect(await person.ok("status", { run: runId })).not.toHaveProperty("moment");
  });

  test("is refused for an event that is yet to come, and names the last one", async () => {
    const { runId, events } = await started();
    const refusal = await world.person().no("status", { run: runId, at: events.length + 1 });
    expect(refusal).toEqual({ code: "event-unknown", event: events.length + 1, last: events.length });
  });

  test("is told by the workflow as it was before another version was adopted", async () => {
    const { runId, events } = await started();
    world.workflow("walk", steps.replace("Ship it", "Ship it softly"));
    await world.person().ok("adopt", { run: runId });
    const now = await world.person().ok("status", { run: runId });
    const then = await world.person().ok("status", { run: runId, at: events.length });
    expect([now.instructions, then.instructions]).toEqual([
      expect.stringContaining("Ship it softly"),
      expect.not.stringContaining("softly"),
    ]);
    expect(then).not.toHaveProperty("driftedTemplate");
  });

  test("is there for every event of a journal that was repaired, and of a run that has ended", async () => {
    const { runId, agent } = await started();
    appendFileSync(join(world.runFolder(runId), "journal.jsonl"), "not a commit\n");
    await world.person().ok("repair", { run: runId });
    await world.agent("s1").ok("advance", { run: runId, output: "shipped" });
    const events = await agent.events(runId);
    for (const { seq } of events) {
      expect((await world.person().ok("status", { run: runId, at: seq })).moment?.event).toBe(seq);
    }
    const before = await world.person().ok("status", { run: runId, at: events.length - 1 });
    expect([before.status, (await world.person().ok("status", { run: runId })).status]).toEqual([
      "running",
      "complete",
    ]);
  });
});

describe("milestones", () => {
  /** A run with more commits than there are from one milestone to the next. */
  async function long() {
    world.workflow(
      "polish",
      `variables: { color: red }\nsteps: [{ id: plan, type: ralph, n: 300, instructions: "Again in {vars.color}" }]`,
    );
    const agent = world.agent("s1");
    const { runId } = await agent.ok("start", { workflow: "polish" });
    for (let n = 0; n < 140; n++) await agent.ok("advance", { output: "better" });
    const past = join(world.runFolder(runId), "past");
    const [name = ""] = readdirSync(past);
    return { runId, past, name, event: Number.parseInt(name, 10) };
  }

  const statusAt = (runId: string, at: number) => world.person().ok("status", { run: runId, at });

  test("are written as a run goes on, and made again where they are missing or damaged", async () => {
    const { runId, past, name, event } = await long();
    const kept = readFileSync(join(past, name), "utf8");
    const then = await statusAt(runId, event + 1);
    for (const damage of ["", "{}", kept.slice(0, -9), kept.replace('"plan"', '"plot"')]) {
      writeFileSync(join(past, name), damage);
      expect(await statusAt(runId, event + 1)).toEqual(then);
      expect(readFileSync(join(past, name), "utf8")).toBe(kept);
    }
    rmSync(past, { recursive: true });
    expect(await statusAt(runId, event + 1)).toEqual(then);
    expect(readdirSync(past)).toEqual([name]);
  });

  test("do not count if they belong to another history, or came with the repository", async () => {
    const { runId, past, name, event } = await long();
    const then = await statusAt(runId, event + 1);
    const kept = readFileSync(join(past, name), "utf8");
    const forge = (change: (text: string) => string) => {
      const body = change(kept.replace(/,"hash":"[0-9a-f]{64}"\}$/, ""));
      writeFileSync(join(past, name), `${body},"hash":"${sha256Hex(body)}"}`);
    };
    forge((body) => body.replace(/"head":"[0-9a-f]+"/, `"head":"${"0".repeat(64)}"`));
    expect(await statusAt(runId, event + 1)).toEqual(then);
    forge((body) => body.replace('"color":"red"', '"color":"pink"'));
    world.git("add", "--force", `.holdfast/runs/${runId}/past/${name}`);
    expect(await statusAt(runId, event + 1)).toEqual(then);
  });

  test("are neither read nor written through a link, and a pipe in their place holds nobody up", async () => {
    const { runId, past, name, event } = await long();
    const then = await statusAt(runId, event + 1);
    rmSync(join(past, name));
    makePipe(join(past, name));
    expect(await statusAt(runId, event + 1)).toEqual(then);
    rmSync(past, { recursive: true });
    const elsewhere = world.path("elsewhere");
    mkdirSync(elsewhere);
    symlinkSync(elsewhere, past);
    expect(await statusAt(runId, event + 1)).toEqual(then);
    expect(readdirSync(elsewhere)).toEqual([]);
  });
});

describe("what has changed between two events", () => {
  test("is the position, the variables and the outputs, from the earlier to the later", async () => {
    const { runId, events } = await started();
    const person = world.person();
    const built = events.find((event) => event.type === "visit-entered" && event.place.step === "build")?.seq ?? 0;
    const { changes, from, to, events: counts } = await person.ok("diff", { run: runId, from: built, to: 1 });
    expect([from.event, to.event, counts["visit-entered"]]).toEqual([1, built, 2]);
    expect(changes).toEqual(
      expect.arrayContaining([
        { area: "visit", name: "build#1", from: null, to: { attempt: 1 } },
        { area: "step", name: "plan", from: null, to: { visits: 1, status: "done" } },
        { area: "variable", name: "color", from: "red", to: "blue" },
        { area: "output", name: "plan", from: null, to: "the plan" },
      ]),
    );
    expect(changes.filter(({ area, name }) => area === "output" && name === "build")).toEqual([]);
    expect((await person.ok("diff", { run: runId, from: 2, to: 2 })).changes).toEqual([]);
    expect(await person.no("diff", { run: runId, from: 1, to: 999 })).toMatchObject({ code: "event-unknown" });
  });

  test("includes the gates that were checked and the tasks of a loop", async () => {
    world.workflow(
      "gated",
      `loops: { parts: [{ id: make, instructions: Make it }] }
steps:
  - { id: parts, type: loop }
  - { id: check, type: action, instructions: Check it, gate: [{ run: "test -f done" }] }`,
    );
    await world.person().ok("trust", { workflow: "gated" });
    const agent = world.agent("s1");
    const { runId } = await agent.ok("start", { workflow: "gated" });
    await agent.ok("tasks", {
      loop: "parts",
      tasks: [
        { id: "a", title: "A" },
        { id: "b", title: "B" },
      ],
    });
    const set = (await agent.events(runId)).length;
    await agent.ok("advance", { output: "made a" });
    await agent.ok("advance", { output: "made b" });
    expect(await agent.no("advance", { output: "checked" })).toMatchObject({ code: "gate-failed" });
    const { length } = await agent.events(runId);
    const { changes, gates } = await world.person().ok("diff", { run: runId, from: set, to: length });
    expect(gates).toMatchObject([{ token: "check#1", held: false }]);
    expect(changes.find(({ area }) => area === "tasks")).toMatchObject({
      from: { done: 0 },
      to: { done: 2, total: 2 },
    });
  });
});
