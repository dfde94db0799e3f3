import { beforeEach, describe, expect, test } from "vitest";
import { addToDays, beginDays } from "../../../src/app/digest/taken-days.ts";
import { allRuns } from "../../../src/app/runs/choose-run.ts";
import type { Costs } from "../../../src/serve/contract/contract.ts";
import type { Face, World } from "../world.ts";
import { costlyWorld, day, hour, sumOf, use, walk } from "./costly.ts";

let world: World;

beforeEach(() => {
  world = costlyWorld();
});

/** Until the process takes the journals for unchanged. */
async function remembered({ deps }: Face): Promise<void> {
  let last: unknown;
  await expect
    .poll(async () => {
      const [glance] = await allRuns(deps);
      const isSame = glance === last;
      last = glance;
      return isSame;
    })
    .toBe(true);
}

const costsOf = (days?: number) => world.script().ok("costs", days === undefined ? {} : { days });

describe("costs", () => {
  test("have what a page is promised, and are what the reports of the runs say", async () => {
    const done = await walk(world, "s1");
    const agent = world.agent("s2");
    const { runId: live } = await agent.ok("start", { workflow: "walk", another: true });
    world.pass(3 * hour);
    await use(agent, live, 7, 0.25);
    const costs = await costsOf();
    const page: Costs = { ...costs, runs: costs.runs.map((run) => ({ ...run, project: "p" })) };
    for (const runId of [done, live]) {
      const { total } = await world.script().ok("report", { run: runId });
      const { minutes, tokens, cost } = total;
      expect(page.runs).toContainEqual({ project: "p", name: runId, runs: 1, minutes, tokens, cost });
    }
    expect(page.workflows).toEqual([{ name: "walk", runs: 2, minutes: 6 * hour, tokens: 117, cost: 1.75 }]);
    expect(page.steps).toContainEqual({ name: "walk: plan", runs: 2, minutes: 4 * hour, tokens: 107, cost: 1.25 });
    expect(page.steps).toContainEqual({ name: "walk: build", runs: 1, minutes: 2 * hour, tokens: 10, cost: 0.5 });
    expect(page.days).toEqual([{ name: "2026-01-31", runs: 2, minutes: 6 * hour, tokens: 117, cost: 1.75 }]);
  });

  test("put what a run took on the days when it did, and the run on the first of them", async () => {
    world.pass(22.5 * hour);
    await walk(world, "s1");
    expect((await costsOf()).days).toEqual([
      { name: "2026-01-31", runs: 1, minutes: 1.5 * hour, tokens: 100, cost: 1 },
      { name: "2026-02-01", runs: 0, minutes: 1.5 * hour, tokens: 10, cost: 0.5 },
    ]);
  });

  test("count a visit that waits for days on each of them, up to now", async () => {
    world.pass(12 * hour);
    await world.agent("s1").ok("start", { workflow: "walk" });
    world.pass(2 * day);
    const minutes = (await costsOf()).days.map((each) => each.minutes);
    expect(minutes).toEqual([12 * hour, day, 12 * hour]);
    expect(sumOf((await costsOf(2)).runs).minutes).toBe(1.5 * day);
  });

  test("leave out what was taken before, also by a run that goes on", async () => {
    await walk(world, "s1");
    const agent = world.agent("s2");
    const { runId } = await agent.ok("start", { workflow: "walk" });
    await use(agent, runId, 1_000, 10);
    world.pass(2 * day);
    await use(agent, runId, 5, 0.125);
    expect(sumOf((await costsOf(3)).days)).toMatchObject({ runs: 2, tokens: 1_115 });
    const costs = await costsOf(1);
    expect(costs.runs).toEqual([{ name: runId, runs: 1, minutes: 3 * hour, tokens: 5, cost: 0.125 }]);
    const { runs: _runs, ...taken } = sumOf(costs.runs);
    for (const rows of [costs.days, costs.workflows, costs.steps]) expect(sumOf(rows)).toMatchObject(taken);
    expect([sumOf(costs.days).runs, sumOf(costs.workflows).runs]).toEqual([1, 1]);
  });

  test("stay right in a process that looks again and again", async () => {
    const server = world.script();
    const agent = world.agent("s1");
    const { runId } = await agent.ok("start", { workflow: "walk" });
    const seen: number[] = [];
    const look = async () => seen.push(sumOf((await server.ok("costs")).runs).minutes / hour);
    await remembered(server);
    world.pass(hour);
    await look();
    world.pass(hour);
    await look();
    await world.person().ok("abort", { run: runId });
    await remembered(server);
    await look();
    world.pass(hour);
    await look();
    await world.person().ok("reopen", { run: runId });
    world.pass(hour);
    await look();
    await world.person().ok("abort", { run: runId });
    await world.person().ok("rm", { run: runId, yes: true });
    await look();
    expect(seen).toEqual([1, 2, 2, 2, 3, 0]);
  });
});

test("a journal with a time in the far future is not walked day by day", () => {
  const days = beginDays();
  const place = { type: "action", step: "plan" } as const;
  const entered = { token: "plan#1", place, number: 1, action: null, note: null };
  addToDays(days, { seq: 1, at: "0001-01-01T00:00:00.000Z", type: "visit-entered", ...entered });
  addToDays(days, { seq: 2, at: "9999-12-31T12:00:00.000Z", type: "run-aborted", by: "ada", reason: "late" });
  expect(days.days.size).toBeLessThan(500);
  expect(days.days.get("9999-12-31")?.get("plan")?.minutes).toBe(12 * hour);
});
