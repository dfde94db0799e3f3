import { beforeEach, describe, expect, test } from "vitest";
import { reportDriving } from "../../../src/app/driving/report-driving.ts";
import { thisRunner } from "../../../src/platform/runner.ts";
import type { RunsPage } from "../../../src/serve/contract/contract.ts";
import { makeWorld, type World } from "../world.ts";

let world: World;

beforeEach(() => {
  world = makeWorld();
  world.workflow(
    "walk",
    `steps:
  - { id: plan, type: action, instructions: Plan it, gate: [{ approval: human }] }
  - { id: build, type: action, instructions: Build it }`,
  );
});

/** The run's card among all. */
async function cardOf(runId: string) {
  const { cards } = await world.script().ok("board");
  return cards.find((card) => card.runId === runId);
}

describe("the board", () => {
  test("has what a page is promised", async () => {
    await world.agent("s1").ok("start", { workflow: "walk" });
    const board = await world.script().ok("board");
    const page: RunsPage = {
      ...board,
      cards: board.cards.map((card) => ({ project: "p", ...card })),
      damaged: board.damaged.map((row) => ({ project: "p", ...row })),
      teams: [],
    };
    expect(page).toMatchObject({
      total: 1,
      from: 0,
      damaged: [],
      team: null,
      cards: [{ workflow: "walk", step: "plan" }],
    });
  });

  test("puts a run where its state belongs, from its start to its end", async () => {
    const agent = world.agent("s1");
    const { runId } = await agent.ok("start", { workflow: "walk", summary: "Make it so" });
    expect(await cardOf(runId)).toMatchObject({ column: "working", waitsFor: null, summary: "Make it so" });
    await agent.no("advance", { output: "the plan" });
    expect(await cardOf(runId)).toMatchObject({
      column: "needs-you",
      waitsFor: { kind: "approval", text: "your approval of plan" },
    });
    await world.person().ok("pause", { run: runId, reason: "lunch" });
    expect(await cardOf(runId)).toMatchObject({
      column: "waiting",
      waitsFor: { kind: "resume", text: "you to resume it, paused: lunch" },
    });
    await world.person().ok("resume", { run: runId });
    await world.person().ok("approve", { run: runId });
    await agent.ok("advance", { output: "the plan" });
    await agent.ok("ask", { question: "Red or\nblue?" });
    expect(await cardOf(runId)).toMatchObject({
      column: "needs-you",
      waitsFor: { kind: "answer", text: "your answer: Red or blue?" },
    });
    await world.person().ok("answer", { run: runId, answer: "red" });
    await agent.ok("advance", { output: "built" });
    expect(await cardOf(runId)).toMatchObject({ column: "done", status: "complete", waitsFor: null });
  });

  test("tells a failed step and a run that was aborted apart from one that is done", async () => {
    const agent = world.agent("s1");
    const failing = await agent.ok("start", { workflow: "walk" });
    await agent.ok("advance", { output: "it is impossible", failed: true });
    expect(await cardOf(failing.runId)).toMatchObject({
      column: "needs-you",
      waitsFor: { kind: "decision", text: "your decision: plan failed" },
    });
    await world.person().ok("abort", { run: failing.runId });
    expect(await cardOf(failing.runId)).toMatchObject({ column: "failed", status: "aborted" });
  });

  test("shows that nobody works on a run whose only session has ended", async () => {
    const agent = world.agent("s1");
    const { runId } = await agent.ok("start", { workflow: "walk" });
    const { journal } = agent.deps;
    const standing = await journal.load(runId);
    if (standing === null) throw new Error("no run");
    const at = agent.deps.now();
    await journal.append(runId, standing, [
      { seq: standing.run.seq + 1, at, type: "session-ended", session: "s1", reason: "closed" },
    ]);
    expect(await cardOf(runId)).toMatchObject({ column: "waiting", waitsFor: { kind: "agent" } });
  });

  test("shows that nobody works on a run that its runner has left", async () => {
    const { runId } = await world.script().ok("start", { workflow: "walk" });
    const driver = world.agent(`driver-${runId}`);
    const runner = thisRunner();
    const begin = { type: "begin-drive", runner, agent: "command", holdfast: "1", interrupted: false } as const;
    await reportDriving(driver.deps, runId, begin);
    await driver.ok("next", { run: runId });
    expect(await cardOf(runId)).toMatchObject({ column: "working", waitsFor: null });
    await reportDriving(driver.deps, runId, { type: "end-drive", runner, why: "interrupted" });
    expect(await cardOf(runId)).toMatchObject({ column: "waiting", waitsFor: { kind: "agent" } });
  });

  test("says that a parked run waits for a runner, and why", async () => {
    const { runId } = await world.script().ok("start", { workflow: "walk" });
    const { deps } = world.agent(`driver-${runId}`);
    const runner = thisRunner();
    const begin = { type: "begin-drive", runner, agent: "command", holdfast: "1", interrupted: false } as const;
    await reportDriving(deps, runId, begin);
    await reportDriving(deps, runId, { type: "park", why: "quota", reason: "no credit is left" });
    await reportDriving(deps, runId, { type: "end-drive", runner, why: "parked" });
    expect(await cardOf(runId)).toMatchObject({
      column: "waiting",
      waitsFor: { kind: "parked", text: "a runner to resume it, parked: no credit is left" },
    });
  });

  test("is found by words in any case and script, and pages and counts what it found", async () => {
    for (const summary of ["Straße bauen", "ΟΔΟΣ plan", "東京の道", "other"]) {
      await world.agent(`s-${summary}`).ok("start", { workflow: "walk", summary, another: true });
      world.pass(1);
    }
    const found = async (search: string) =>
      (await world.script().ok("board", { search })).cards.map(({ summary }) => summary);
    expect(await found("STRASSE")).toEqual(["Straße bauen"]);
    expect(await found("οδος")).toEqual(["ΟΔΟΣ plan"]);
    expect(await found("東京")).toEqual(["東京の道"]);
    expect(await found("WALK other")).toEqual(["other"]);
    expect(await found("nothing of it")).toEqual([]);
    const page = await world.script().ok("board", { search: "walk", from: 1, count: 2 });
    expect(page.cards.map(({ summary }) => summary)).toEqual(["東京の道", "ΟΔΟΣ plan"]);
    expect([page.total, page.counts.working]).toEqual([4, 4]);
    const none = await world.script().ok("board", { column: "done" });
    expect([none.total, none.counts.working]).toEqual([0, 4]);
  });

  test("stays right in a process that looks again and again", async () => {
    const server = world.script();
    const agent = world.agent("s1");
    const { runId } = await agent.ok("start", { workflow: "walk" });
    const columns: (string | undefined)[] = [];
    const look = async () => columns.push((await server.ok("board")).cards[0]?.column);
    await look();
    await agent.no("advance", { output: "the plan" });
    await look();
    await world.person().ok("abort", { run: runId });
    await look();
    await world.person().ok("reopen", { run: runId });
    await look();
    await world.person().ok("abort", { run: runId });
    await world.person().ok("rm", { run: runId, yes: true });
    await look();
    expect(columns).toEqual(["working", "needs-you", "failed", "waiting", undefined]);
  });

  test("names a run that cannot be read, and shows the others", async () => {
    const broken = await world.agent("s1").ok("start", { workflow: "walk" });
    const whole = await world.agent("s2").ok("start", { workflow: "walk", another: true });
    world.write(`.holdfast/runs/${broken.runId}/journal.jsonl`, "garbage\ngarbage\n");
    const { cards, damaged } = await world.script().ok("board");
    expect(cards.map(({ runId }) => runId)).toEqual([whole.runId]);
    expect(damaged).toMatchObject([{ runId: broken.runId, next: expect.stringContaining("repair") }]);
  });
});
