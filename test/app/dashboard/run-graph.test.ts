import { beforeEach, describe, expect, test } from "vitest";
import type { RunGraph } from "../../../src/serve/contract/run-answers.ts";
import { makeWorld, type World } from "../world.ts";

let world: World;

beforeEach(() => {
  world = makeWorld();
  world.workflow(
    "walk",
    `loops:
  work:
    - { id: implement, instructions: "Do {task.title}" }
    - { id: verify, instructions: "Check {task.title}", gate: [{ exists: checked.txt }] }
steps:
  - { id: plan, type: action, phase: Think, instructions: Plan it, outcomes: { good: next, bad: plan } }
  - { id: work, type: loop }
  - { id: ship, type: action, instructions: Ship it, gate: [{ approval: human }] }`,
  );
});

async function inTheLoop(count: number) {
  const agent = world.agent("s1");
  const { runId } = await agent.ok("start", { workflow: "walk" });
  world.pass(3);
  await agent.ok("advance", { output: "the plan", outcome: "bad" });
  world.pass(2);
  await agent.ok("advance", { output: "a better plan", outcome: "good" });
  const tasks = Array.from({ length: count }, (_, n) => ({ id: `t${n}`, title: `Task ${n}` }));
  await agent.ok("tasks", { loop: "work", tasks });
  return { agent, runId };
}

describe("the graph of a run", () => {
  test("has the steps with what they took, the transitions and where the run is", async () => {
    const { agent, runId } = await inTheLoop(3);
    world.pass(4);
    await agent.ok("advance", { output: "done" });
    await agent.no("advance", { output: "checked" });
    const graph: RunGraph = await world.script().ok("run-graph", { run: runId });
    expect(graph).toMatchObject({ runId, status: "running", current: ["work"] });
    expect(graph.nodes).toMatchObject([
      { id: "plan", phase: "Think", status: "done", visits: 2, minutes: 5, gates: [], tasks: null },
      {
        id: "work",
        status: "open",
        visits: 3,
        minutes: 4,
        retries: 1,
        gatesFailed: 1,
        gates: ["verify: exists checked.txt"],
        subSteps: ["implement", "verify"],
        tasks: { total: 3, done: 0, failed: 0 },
      },
      { id: "ship", status: "ahead", visits: 0, gates: ["a person's approval"] },
    ]);
    expect(graph.nodes[1]?.tasks?.shown.map(({ status }) => status)).toEqual(["open", "ahead", "ahead"]);
    expect(graph.edges).toEqual([
      { from: "plan", to: "work", label: "good" },
      { from: "plan", to: "plan", label: "bad" },
      { from: "work", to: "ship", label: null },
      { from: "ship", to: "complete", label: null },
    ]);
  });

  test("counts what the report counts, at the end as at every event before", async () => {
    const { agent, runId } = await inTheLoop(2);
    await agent.ok("advance", { output: "done" });
    world.write("checked.txt", "yes");
    await agent.ok("advance", { output: "checked" });
    const server = world.script();
    const events = await agent.events(runId);
    for (const { seq } of events) {
      const graph = await server.ok("run-graph", { run: runId, at: seq });
      const visits = events.filter((event) => event.seq <= seq && event.type === "visit-entered").length;
      expect(graph.nodes.reduce((sum, node) => sum + node.visits, 0)).toBe(visits);
      expect([graph.event, graph.lastEvent]).toEqual([seq, events.length]);
    }
    const { nodes } = await server.ok("run-graph", { run: runId });
    const { total } = await server.ok("report", { run: runId });
    const sum = (name: "visits" | "minutes" | "retries" | "gatesPassed" | "tokens") =>
      nodes.reduce((all, node) => all + node[name], 0);
    for (const name of ["visits", "minutes", "retries", "gatesPassed", "tokens"] as const)
      expect(sum(name)).toBe(total[name]);
  });

  test("shows the tasks around the current one if there are too many", async () => {
    world.workflow("list", `loops: { work: [{ id: do, instructions: Do it }] }\nsteps: [{ id: work, type: loop }]`);
    const agent = world.agent("s1");
    const { runId } = await agent.ok("start", { workflow: "list" });
    const tasks = Array.from({ length: 300 }, (_, n) => ({ id: `t${n}`, title: `Task ${n}` }));
    await agent.ok("tasks", { loop: "work", tasks });
    const shown = async () => (await world.script().ok("run-graph", { run: runId })).nodes[0]?.tasks?.shown ?? [];
    expect([(await shown()).length, (await shown())[0]?.id]).toEqual([200, "t0"]);
    for (let n = 0; n < 60; n++) await agent.ok("advance", { output: "done" });
    const later = await shown();
    expect([later[0]?.id, later.length]).toEqual(["t10", 200]);
    expect(later.find(({ status }) => status === "open")?.id).toBe("t60");
  });

  test("stops the clock of a visit that a person gave up, and of those that the run's end closed", async () => {
    const agent = world.agent("s1");
    const { runId } = await agent.ok("start", { workflow: "walk" });
    world.pass(3);
    await agent.ok("advance", { output: "it is impossible", failed: true });
    world.pass(2);
    await world.person().ok("decide", { run: runId, verdict: "abandon" });
    world.pass(60);
    const { nodes, current } = await world.script().ok("run-graph", { run: runId });
    expect(nodes[0]).toMatchObject({ status: "failed", minutes: 5 });
    expect(current).toEqual([]);
    expect((await world.script().ok("report", { run: runId })).total.minutes).toBe(5);
  });
});
