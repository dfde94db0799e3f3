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
