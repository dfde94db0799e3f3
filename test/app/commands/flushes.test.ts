import fs from "node:fs";
import { syncBuiltinESMExports } from "node:module";
import { join } from "node:path";
import { expect, it, onTestFinished } from "vitest";
import { makeWorld, type World } from "../world.ts";

const yaml = `steps:
  - { id: plan, type: action, instructions: Plan }
  - { id: build, type: action, instructions: Build }
  - { id: ship, type: action, instructions: Ship }`;

/** How often a file or folder is flushed to disk while `act` runs. */
async function countFlushes(act: () => Promise<unknown>): Promise<number> {
  const { fsyncSync, fdatasyncSync } = fs;
  const restore = () => {
    Object.assign(fs, { fsyncSync, fdatasyncSync });
    syncBuiltinESMExports();
  };
  onTestFinished(restore);
  let flushes = 0;
  const counted = (flush: (file: number) => void) => (file: number) => {
    flushes += 1;
    flush(file);
  };
  Object.assign(fs, { fsyncSync: counted(fsyncSync), fdatasyncSync: counted(fdatasyncSync) });
  syncBuiltinESMExports();
  await act();
  restore();
  return flushes;
}

function cardsIn(world: World): string[] {
  const folder = join(world.project, "untracked/workflow-state");
  const files = fs.readdirSync(folder, { recursive: true, encoding: "utf8" });
  return files.filter((name) => name.endsWith(".json")).map((name) => join(folder, name));
}

it("an advance that changes the state card is flushed once, for the journal alone", async () => {
  const world = makeWorld();
  world.workflow("own", yaml);
  const agent = world.agent("s1");
  await agent.ok("start", { workflow: "own" });
  const [card = ""] = cardsIn(world);
  expect(await countFlushes(() => agent.ok("advance", { output: "planned" }))).toBe(1);
  expect(JSON.parse(fs.readFileSync(card, "utf8"))).toMatchObject({ phase: { name: "build" } });
});

it("a card that a power cut left empty is written again from the journal", async () => {
  const world = makeWorld();
  world.workflow("own", yaml);
  const agent = world.agent("s1");
  await agent.ok("start", { workflow: "own" });
  const [card = ""] = cardsIn(world);
  fs.writeFileSync(card, "");
  await agent.ok("advance", { output: "planned" });
  expect(JSON.parse(fs.readFileSync(card, "utf8"))).toMatchObject({ workflow: "own", phase: { name: "build" } });
});
