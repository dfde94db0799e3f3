import { cpSync, existsSync, mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect } from "vitest";
import { makeWorld, type World } from "../world.ts";

export const steps =
  "steps: [{ id: one, type: action, instructions: One }, { id: two, type: action, instructions: Two }]";
export const index = ".holdfast/cache/runs";

/** A project with many runs that were aborted, and the index of them. */
export async function crowdedWorld(): Promise<{ readonly world: World; readonly ended: readonly string[] }> {
  const world = makeWorld();
  world.workflow("own", steps);
  pattern ??= makeEndedRuns();
  const { folder, ended } = await pattern;
  cpSync(folder, world.path(".holdfast/runs"), { recursive: true });
  // What is started here has another time in its name.
  world.pass(1);
  await indexed(world, ended);
  return { world, ended };
}

let pattern: Promise<{ readonly folder: string; readonly ended: readonly string[] }> | undefined;

/** Made once and copied: their flushes take longer than everything that is done with them. */
async function makeEndedRuns(count = 32): Promise<{ readonly folder: string; readonly ended: readonly string[] }> {
  const world = makeWorld();
  world.workflow("own", steps);
  const [agent, person] = [world.agent("s0"), world.person()];
  const ended: string[] = [];
  for (let n = 0; n < count; n++) {
    const { runId } = await agent.ok("start", { workflow: "own" });
    await person.ok("abort", { run: runId });
    ended.push(runId);
  }
  await indexed(world, ended);
  const folder = mkdtempSync(join(tmpdir(), "holdfast-ended-"));
  cpSync(world.path(".holdfast/runs"), folder, { recursive: true });
  return { folder, ended };
}

/** A journal that has just changed is not put into the index. */
export async function indexed(world: World, runIds: readonly string[]): Promise<void> {
  const missing = async () => {
    await world.script().ok("runs", {});
    const text = existsSync(world.path(index)) ? world.read(index) : "";
    return runIds.filter((runId) => !text.includes(`${runId} `));
  };
  await expect.poll(missing).toEqual([]);
}

export const liveIn = async (world: World): Promise<readonly string[]> =>
  (await world.script().ok("runs", { live: true })).runs.map(({ runId }) => runId);
