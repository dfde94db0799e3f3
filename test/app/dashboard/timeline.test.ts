import fc from "fast-check";
import { beforeEach, describe, expect, test } from "vitest";
import { digestOf } from "../../../src/app/digest/run-digest.ts";
import { visitName } from "../../../src/app/digest/visit-rows.ts";
import type { RunEvent } from "../../../src/model/event.ts";
import { isLive } from "../../../src/model/run-state.ts";
import type { Timeline, VisitDetails } from "../../../src/serve/contract/run-answers.ts";
import { createMemoryStore } from "../../../src/store/memory-store.ts";
import { cases } from "../../dose.ts";
import { runId as randomId } from "../../engine/drive.ts";
import { makeWorld, type World } from "../world.ts";
import { randomRun } from "./random-run.ts";

let world: World;

beforeEach(() => {
  world = makeWorld();
  world.workflow(
    "walk",
    `steps:
  - { id: plan, type: action, instructions: Plan it, on_fail: retry }
  - { id: build, type: action, context: compact, instructions: Build it, gate: [{ exists: built.txt }] }
  - { id: ship, type: action, instructions: Ship it }`,
  );
});

async function driven() {
  const agent = world.agent("s1");
  const { runId } = await agent.ok("start", { workflow: "walk" });
  await agent.ok("advance", { output: "impossible", failed: true });
  world.pass(2);
  await agent.ok("advance", { output: "the plan".repeat(200) });
  await agent.ok("next");
  await agent.no("advance", { output: "built" });
  return { agent, runId };
}

describe("the timeline", () => {
  test("has a row for each visit, with its attempts, gates, context actions and output", async () => {
    const { runId } = await driven();
    const timeline: Timeline = await world.script().ok("timeline", { run: runId });
    expect(timeline).toMatchObject({ runId, total: 2, from: 0 });
    expect(timeline.rows).toMatchObject([
      { step: "plan", token: "plan#1~2", number: 1, status: "done", attempts: 2, endedAt: "2026-01-31T00:02:00.000Z" },
      { step: "build", status: "open", attempts: 2, gatesFailed: 1, contextActions: ["compact"], endedAt: null },
    ]);
    expect(timeline.rows[0]?.output).toMatch(/^the planthe plan/);
    expect(timeline.rows[0]?.output?.length).toBeLessThan(200);
  });

  test("pages, and finds visits by their step, task, outcome and output", async () => {
    const { runId } = await driven();
    const server = world.script();
    const steps = async (input: object) =>
      (await server.ok("timeline", { run: runId, ...input })).rows.map(({ step }) => step);
    expect(await steps({ from: 1 })).toEqual(["build"]);
    expect(await steps({ count: 1 })).toEqual(["plan"]);
    expect(await steps({ search: "THE PLAN" })).toEqual(["plan"]);
    expect((await server.ok("timeline", { run: runId, search: "nothing" })).total).toBe(0);
  });

  test("follows a run that goes on and is repaired, in a process that has seen it before", async () => {
    const { agent, runId } = await driven();
    const server = world.script();
    const before = await server.ok("timeline", { run: runId });
    world.write("built.txt", "yes");
    await agent.ok("advance", { output: "built" });
    const after = await server.ok("timeline", { run: runId });
    expect([before.total, after.total]).toEqual([2, 3]);
    expect(after).toEqual(await world.script().ok("timeline", { run: runId }));
    const lines = world.journal(runId).split("\n");
    world.write(`.holdfast/runs/${runId}/journal.jsonl`, [...lines.slice(0, 3), "garbage", ""].join("\n"));
    await world.person().ok("repair", { run: runId });
    expect(await server.ok("timeline", { run: runId })).toEqual(await world.script().ok("timeline", { run: runId }));
  });

  test("is the same for several who ask at once", async () => {
    const { runId } = await driven();
    const server = world.script();
    const all = await Promise.all([1, 2, 3].map(() => server.ok("timeline", { run: runId })));
    for (const each of all) expect(each).toEqual(await world.script().ok("timeline", { run: runId }));
  });
});

describe("a visit", () => {
  test("has its events, page by page, with long texts cut, and is found by the token of any attempt", async () => {
    const { runId, agent } = await driven();
    const server = world.script();
    const whole: VisitDetails = await server.ok("visit", { run: runId, token: "plan#1" });
    const events = await agent.events(runId);
    const own = events.filter((event) => "token" in event && event.token?.startsWith("plan#1"));
    expect(whole.events.filter((event) => "token" in event).map(({ seq }) => seq)).toEqual(own.map(({ seq }) => seq));
    expect(whole.next).toBeNull();
    expect(JSON.stringify(whole.events).length).toBeLessThan(JSON.stringify(own).length);
    const seen: number[] = [];
    for (let after: number | null = 0; after !== null; ) {
      const page: VisitDetails = await server.ok("visit", { run: runId, token: "plan#1~2", after, count: 2 });
      seen.push(...page.events.map(({ seq }) => seq));
      after = page.next;
    }
    expect(seen).toEqual(whole.events.map(({ seq }) => seq));
  });

  test("that never was is refused", async () => {
    const { runId } = await driven();
    expect(await world.script().no("visit", { run: runId, token: "ship#9" })).toEqual({
      code: "visit-unknown",
      run: runId,
      token: "ship#9",
    });
  });
});

/** Each visit's events, as somebody would group them who has all of them: by the name in their tokens. */
function grouped(events: readonly RunEvent[]): ReadonlyMap<string, readonly RunEvent[]> {
  const groups = new Map<string, RunEvent[]>();
  for (const event of events) {
    if (!("token" in event) || event.token === undefined) continue;
    const name = visitName(event.token);
    groups.set(name, [...(groups.get(name) ?? []), event]);
  }
  return groups;
}

test("whatever happens in a run, the rows are its visits, however often the journal was read on the way", async () => {
  await fc.assert(
    fc.asyncProperty(randomRun, fc.nat(), async ({ run, commits }, chance) => {
      const store = createMemoryStore();
      for (const [version, events] of commits.entries()) {
        await store.append(randomId, version, events);
        if ((version + chance) % 3 === 0) await digestOf({ store }, randomId);
      }
      const { rows, seq, count } = await digestOf({ store }, randomId);
      const events = commits.flat();
      expect(seq).toBe(events.length);
      const groups = grouped(events);
      expect(rows.all.map(({ token }) => visitName(token)).sort()).toEqual(
        [...groups]
          .flatMap(([name, group]) => group.flatMap(({ type }) => (type === "visit-entered" ? [name] : [])))
          .sort(),
      );
      const open = rows.all.filter(({ status }) => status === "open").map(({ token }) => token);
      expect(open).toEqual(isLive(run) ? run.visits.map(({ token }) => token) : []);
      expect([...count.open.keys()].sort()).toEqual([...open].sort());
      for (const row of rows.all) {
        const group = groups.get(visitName(row.token)) ?? [];
        expect(group.map((event) => event.seq)).toEqual(expect.arrayContaining([row.firstEvent, row.lastEvent]));
      }
      const failed = events.flatMap((event) =>
        event.type === "gates-checked" && event.purpose === "gate" ? event.evidence.filter(({ held }) => !held) : [],
      );
      expect(rows.all.reduce((sum, { gatesFailed }) => sum + gatesFailed, 0)).toBe(failed.length);
    }),
    cases({ quick: 60, long: 2_000, soak: 10_000 }),
  );
});
