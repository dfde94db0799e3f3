import { appendFileSync } from "node:fs";
import { expect, it } from "vitest";
import { createSessionLogs } from "../../../../src/sessions/session-log.ts";
import { makeWorld, type World } from "../../world.ts";
import { createHosts, type HostProcess } from "../hook-ports.ts";

const steps = `
steps:
  - { id: plan, type: action, instructions: "Plan it" }
  - { id: build, type: action, instructions: "Build it", budget: { tokens: 100, cost: 2 } }
  - { id: ship, type: action, instructions: "Ship it" }
`;

interface Scene {
  readonly world: World;
  readonly host: HostProcess;
  readonly transcript: string;
  /** The model answers, and the host writes that down. */
  uses(tokens: number): void;
  costs(total: number): void;
}

let answers = 0;

async function scene(): Promise<Scene> {
  const world = makeWorld();
  world.workflow("own", steps);
  const transcript = world.path("../transcript.jsonl");
  const host = createHosts(world)();
  world.write(".holdfast/.keep", "");
  await host.start("mine", "startup", { transcript });
  const sessions = createSessionLogs(world.path(".holdfast"));
  return {
    world,
    host,
    transcript,
    uses(tokens) {
      const timestamp = world.person().deps.now();
      const message = { id: `m${++answers}`, usage: { input_tokens: 0, output_tokens: tokens } };
      for (let n = 0; n < 2; n++) {
        appendFileSync(transcript, `${JSON.stringify({ type: "assistant", timestamp, message })}\n`);
      }
    },
    costs: (total) => sessions.setCost("mine", total),
  };
}

const begun = async () => {
  const one = await scene();
  one.uses(5_000);
  one.costs(1);
  one.world.pass(1);
  await one.world.agent("mine").ok("start", { workflow: "own" });
  return one;
};

const recorded = async (world: World) =>
  (await world.person().events()).flatMap((event) =>
    event.type === "usage-recorded" ? [[event.token, event.turns, event.tokens, event.cost]] : [],
  );

it("what is used counts for the visit that it was used in, however many a turn has", async () => {
  const { world, host, transcript, uses, costs } = await begun();
  uses(300);
  costs(1.5);
  await world.agent("mine").ok("advance", { output: "planned" });
  uses(40);
  costs(1.75);
  await world.agent("mine").ok("advance", { output: "built" });
  uses(7);
  await host.tell("mine", "Stop", { transcript });
  expect(await recorded(world)).toEqual([
    ["plan#1", 0, 300, 0.5],
    ["build#1", 0, 40, 0.25],
    ["ship#1", 1, 7, 0],
  ]);
  expect((await world.script({ face: "cli" }).ok("status")).usage).toEqual({ turns: 1, tokens: 347, cost: 0.75 });
  // A model would get it with every reply, and can do nothing with it.
  expect(await world.agent().ok("status")).not.toHaveProperty("usage");
});

it("a visit that has used up its tokens does not end before a person has decided", async () => {
  const { world, uses } = await begun();
  await world.agent("mine").ok("advance", { output: "planned" });
  uses(100);
  expect(await world.agent("mine").no("advance", { output: "built" })).toMatchObject({
    code: "review-needed",
    spent: "tokens",
  });
  expect(await world.person().ok("overview")).toMatchObject({ used: "0 turns, 100 tokens, $0.00" });
  await world.person().ok("decide", { verdict: "continue" });
  expect(await world.agent("mine").ok("advance", { output: "built" })).toMatchObject({ step: "ship" });
});

it("nothing is counted twice by hooks of two installations, nor by one that was stopped before it remembered", async () => {
  const { world, host, transcript, uses } = await begun();
  uses(10);
  for (const via of ["project", "plugin"]) await host.tell("mine", "Stop", { via, transcript });
  expect(await recorded(world)).toEqual([["plan#1", 1, 10, 0]]);
  // As if the log had never been written after the commit.
  const { counted: _counted, ...rest } = createSessionLogs(world.path(".holdfast")).read("mine");
  expect(rest.transcript).toBe(transcript);
  createSessionLogs(world.path(".holdfast")).tell("mine", {
    ...{ type: "counted", at: world.person().deps.now(), via: "project" },
    mark: { bytes: 0, cost: 1 },
  });
  await host.tell("mine", "Stop", { transcript, afterMs: 60_000 });
  expect(await recorded(world)).toEqual([
    ["plan#1", 1, 10, 0],
    ["plan#1", 1, undefined, 0],
  ]);
});

it("a session that turns to another run and back takes nothing of the one to the other", async () => {
  const { world, host, transcript, uses } = await begun();
  uses(10);
  await host.tell("mine", "Stop", { transcript });
  world.workflow("other", steps);
  world.pass(1);
  const { runId } = await world.agent("mine").ok("start", { workflow: "other" });
  uses(20);
  await host.tell("mine", "Stop", { transcript, afterMs: 60_000 });
  await world.person().ok("abort", { run: runId, reason: "enough" });
  uses(30);
  await host.tell("mine", "Stop", { transcript, afterMs: 120_000 });
  const usages = await Promise.all(
    ["own", runId].map(async (run) => (await world.script({ face: "cli" }).ok("status", { run })).usage?.tokens),
  );
  expect(usages).toEqual([40, 20]);
});

it("a conversation that was cleared counts from its beginning", async () => {
  const { world, host, uses } = await begun();
  uses(10);
  await host.tell("mine", "SessionEnd", { reason: "clear" });
  const next = world.path("../next.jsonl");
  await host.start("next", "clear", { transcript: next });
  createSessionLogs(world.path(".holdfast")).setCost("next", 0.25);
  const message = { id: "fresh", usage: { input_tokens: 1, output_tokens: 2 } };
  const timestamp = world.person().deps.now();
  appendFileSync(next, `${JSON.stringify({ type: "assistant", timestamp, message })}\n`);
  await host.tell("next", "Stop", { transcript: next });
  expect((await recorded(world)).at(-1)).toEqual(["plan#1", 1, 3, 0.25]);
});

it("a host that reports nothing has its turns counted, and the status says what is not known", async () => {
  const world = makeWorld();
  world.workflow("own", steps.replace("steps:", "budget: { cost: 5, turns: 9 }\nsteps:"));
  await world.agent("mine").ok("start", { workflow: "own" });
  const host = createHosts(world)("copilot");
  await host.tell("mine", "Stop");
  expect(await world.person().ok("overview")).toMatchObject({
    runBudget: "1 of 9 turns, $0.00 of $5.00 (none reported so far)",
    used: null,
  });
});
