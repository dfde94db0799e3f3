import { isLive } from "../../../src/model/run-state.ts";
import type { Costs } from "../../../src/serve/contract/contract.ts";
import { type Face, makeWorld, type World } from "../world.ts";

export const hour = 60;
export const day = 24 * hour;

/** A world with a workflow whose steps can be made to cost something. */
export function costlyWorld(): World {
  const world = makeWorld();
  world.workflow(
    "walk",
    `steps:
  - { id: plan, type: action, instructions: Plan it }
  - { id: build, type: action, instructions: Build it }`,
  );
  return world;
}

/** As an agent's hooks record it, for the visit that is open. */
export async function use({ deps }: Face, runId: string, tokens: number, cost: number): Promise<void> {
  const standing = await deps.journal.load(runId);
  if (standing === null) throw new Error("no run");
  const { run } = standing;
  const token = isLive(run) ? run.visits[0]?.token : undefined;
  const at = deps.now();
  await deps.journal.append(runId, standing, [
    { seq: run.seq + 1, at, type: "usage-recorded", token, turns: 1, tokens, cost },
  ]);
}

/** Plans for an hour and builds for two, at 100 and 10 tokens. */
export async function walk(world: World, session: string): Promise<string> {
  const agent = world.agent(session);
  const { runId } = await agent.ok("start", { workflow: "walk", another: true });
  world.pass(hour);
  await use(agent, runId, 100, 1);
  await agent.ok("advance", { output: "planned" });
  world.pass(2 * hour);
  await use(agent, runId, 10, 0.5);
  await agent.ok("advance", { output: "built" });
  return runId;
}

export const sumOf = (rows: Costs["days"]): Omit<Costs["days"][number], "name"> =>
  rows.reduce(
    (sum, { runs, minutes, tokens, cost }) => ({
      runs: sum.runs + runs,
      minutes: sum.minutes + minutes,
      tokens: sum.tokens + tokens,
      cost: sum.cost + cost,
    }),
    { runs: 0, minutes: 0, tokens: 0, cost: 0 },
  );
