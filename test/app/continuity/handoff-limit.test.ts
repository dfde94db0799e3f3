import { expect, it } from "vitest";
import { makeWorld } from "../world.ts";
import { createHosts } from "./hook-ports.ts";

const reminders = Array.from({ length: 40 }, (_, n) => `  - "Rule ${n}: ${"keep the interface stable ".repeat(6)}"\n`);
const yaml = `key_reminders:\n${reminders.join("")}steps:\n  - { id: one, type: action, instructions: ${"Do it. ".repeat(300)} }\n`;

it.each(["claude", "codex"])("a project's own limit in characters holds for %s, too", async (host) => {
  const world = makeWorld();
  world.write(".holdfast/config.yaml", "handoff:\n  limit: 2000\n");
  world.workflow("own", yaml);
  await world.agent("s1").ok("start", { workflow: "own" });
  const { context = "" } = await createHosts(world)(host).start("s1", "compact");
  expect(context).toContain("<holdfast");
  expect(context.length).toBeLessThanOrEqual(2_000);
});

it("nothing is shortened for the sake of artifacts while there is room", async () => {
  const world = makeWorld();
  world.write("docs/plan.md", "The plan");
  world.workflow(
    "own",
    `key_reminders: [Keep to the plan]
critical_artifacts:
  always_load: [{ id: plan, type: markdown, path: docs/plan.md, reload_triggers: [session_start] }]
steps:
  - { id: one, type: action, instructions: One }
  - { id: two, type: action, instructions: "${"Do it with care. ".repeat(60)}" }
`,
  );
  await world.agent("s1").ok("start", { workflow: "own" });
  await world.agent("s1").ok("advance", { output: "did one" });
  const { context = "" } = await createHosts(world)().start("s1", "resume");
  expect(context).not.toMatch(/left out|read @\.holdfast/);
  for (const fact of ["1 one  did one", "Do it with care. ".repeat(60).trim(), "Keep to the plan", "The plan"]) {
    expect(context).toContain(fact);
  }
});
