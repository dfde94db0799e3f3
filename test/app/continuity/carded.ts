import { existsSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { makeWorld, type World } from "../world.ts";
import { createHosts, type HostProcess, twoSteps } from "./hook-ports.ts";

export interface Carded {
  readonly world: World;
  readonly host: HostProcess;
  readonly runId: string;
  /** The path of the run's card, from the top of the project. */
  readonly file: string;
}

export async function carded(name = "claude"): Promise<Carded> {
  const world = makeWorld();
  world.workflow("feature", twoSteps);
  const { runId } = await world.agent("mine").ok("start", { workflow: "feature", summary: "Dark mode" });
  const [file = ""] = cardsIn(world, "feature");
  return { world, host: createHosts(world)(name), runId, file };
}

export function cardsIn(world: World, slug: string): string[] {
  const folder = `untracked/workflow-state/${slug}`;
  if (!existsSync(join(world.project, folder))) return [];
  return readdirSync(join(world.project, folder))
    .sort()
    .map((name) => `${folder}/${name}`);
}

// biome-ignore lint/suspicious/noExplicitAny: a card is compared with literals
export function read(world: World, file: string): any {
  return JSON.parse(world.read(file));
}

export function edit(world: World, file: string, change: Readonly<Record<string, unknown>>): void {
  world.write(file, JSON.stringify({ ...read(world, file), ...change }));
}

export async function compact(host: HostProcess, afterMs: number): Promise<string> {
  await host.tell("mine", "PreCompact", { trigger: "auto", afterMs });
  const { context = "" } = await host.start("mine", "compact", { afterMs: afterMs + 1 });
  await host.tell("mine", "PostCompact", { trigger: "auto", afterMs: afterMs + 2 });
  return context;
}

export const agents = {
  required_reading: ["@docs/guide.md", "@docs/agent.md", "docs/plain.md"],
  key_reminders: ["Run the tests", "Written by the agent"],
  context: { plan_number: 66, nested: { deep: [1, 2] } },
  mood: { calm: true },
};
