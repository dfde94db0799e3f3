import { rmSync, utimesSync } from "node:fs";
import { join } from "node:path";
import { beforeEach, describe, expect, onTestFinished, test } from "vitest";
import type { LiveMessage } from "../../src/serve/contract/contract.ts";
import { createLive, type LiveOptions, type Wanted } from "../../src/serve/live/live.ts";
import { watchProject } from "../../src/serve/live/watch-project.ts";
import { makeWorld, type World } from "../app/world.ts";

let world: World;

beforeEach(() => {
  world = makeWorld();
  world.workflow(
    "walk",
    `steps:
  - { id: plan, type: action, instructions: Plan it }
  - { id: build, type: action, instructions: Build it }`,
  );
});

function listen(more: Partial<LiveOptions> = {}) {
  const looks = { count: 0 };
  const projects = {
    list() {
      looks.count += 1;
      return [{ id: "p", problem: null }];
    },
    open: () => world.script().deps,
  };
  const report = (error: unknown) => expect.unreachable(String(error));
  const live = createLive({ projects, report, every: 5, ...more });
  onTestFinished(() => live.close());
  const read = (wanted: Wanted = {}, lastId: string | null = null) => reading(live.open(wanted, lastId));
  return { live, read, looks };
}

/** Reads a stream as the page does. */
function reading(stream: ReadableStream<Uint8Array>) {
  const reader = stream.getReader();
  const decoder = new TextDecoder();
  const waiting: LiveMessage[] = [];
  const state = { lastId: "", text: "" };
  const take = async () => {
    const { value, done } = await reader.read();
    if (done) throw new Error("the stream has ended");
    const text = decoder.decode(value);
    state.text += text;
    for (const line of text.split("\n")) {
      if (line.startsWith("id: ")) state.lastId = line.slice(4);
      if (line.startsWith("data: ")) waiting.push(JSON.parse(line.slice(6)));
    }
    return text;
  };
  return {
    state,
    take,
    async next(): Promise<LiveMessage> {
      while (waiting.length === 0) await take();
      return waiting.shift() as LiveMessage;
    },
    /** Up to the first message that fits. */
    async until(fits: (message: LiveMessage) => boolean): Promise<LiveMessage> {
      for (;;) {
        const message = await this.next();
        if (fits(message)) return message;
      }
    },
    close: () => reader.cancel(),
  };
}

describe("a live stream", () => {
  test("tells that a run has moved, with its new card, and of runs that come and go", async () => {
    const agent = world.agent("s1");
    const { runId } = await agent.ok("start", { workflow: "walk" });
    const reader = listen().read();
    await reader.take();
    await agent.ok("advance", { output: "the plan" });
    expect(await reader.until(({ type }) => type === "moved")).toMatchObject({ project: "p", runId });
    const run = await reader.until(({ type }) => type === "run");
    expect(run).toMatchObject({ card: { project: "p", runId, step: "build", column: "working" } });
    const other = await world.agent("s2").ok("start", { workflow: "walk", another: true });
    const isOther = (message: LiveMessage) => message.type === "run" && message.card.runId === other.runId;
    expect(await reader.until(isOther)).toMatchObject({ card: { step: "plan" } });
    await agent.ok("advance", { run: runId, output: "built" });
    const ended = await reader.until((message) => message.type === "run" && message.card.endedAt !== null);
    expect(ended).toMatchObject({ card: { runId, column: "done" } });
    rmSync(world.runFolder(runId), { recursive: true });
    expect(await reader.until(({ type }) => type === "gone")).toMatchObject({ project: "p", runId });
  });

  test("goes on after a break with what was missed, and says so if that is not known", async () => {
    const agent = world.agent("s1");
    const { runId } = await agent.ok("start", { workflow: "walk" });
    const { read } = listen();
    const [first, other] = [read(), read()];
    await Promise.all([first.take(), other.take()]);
    const { lastId } = first.state;
    await first.close();
    await agent.ok("advance", { output: "the plan" });
    await other.until(({ type }) => type === "run");
    expect(await read({}, lastId).next()).toMatchObject({ type: "moved", runId });
    expect(await read({}, "0123456789ab-1").next()).toEqual({ type: "reset" });
    expect(await read({}, "garbage").next()).toEqual({ type: "reset" });
  });

  test("tells a reader that is too slow to read all anew, and keeps nothing for it", async () => {
    const agent = world.agent("s1");
    const { read } = listen({ mostMessages: 2 });
    const [slow, quick] = [read(), read()];
    await Promise.all([slow.take(), quick.take()]);
    for (const n of [1, 2, 3, 4]) {
      const { runId } = await agent.ok("start", { workflow: "walk", another: true, summary: `run ${n}` });
      await quick.until((message) => message.type === "run" && message.card.runId === runId);
    }
    expect(await slow.next()).toEqual({ type: "reset" });
    const { runId } = await agent.ok("start", { workflow: "walk", another: true });
    expect(await slow.next()).toMatchObject({ type: "moved", runId });
  });

  test("comes in small pieces to a reader that was away for a while", async () => {
    const { runId } = await world.agent("s1").ok("start", { workflow: "walk" });
    const id = "p".repeat(50_000);
    const projects = { list: () => [{ id, problem: null }], open: () => world.script().deps };
    const { read } = listen({ projects });
    const [away, here] = [read(), read()];
    await Promise.all([away.take(), here.take()]);
    for (let at = 1; at <= 10; at += 1) {
      utimesSync(join(world.runFolder(runId), "journal.jsonl"), at, at);
      await here.next();
    }
    const pieces = [await away.take()];
    while (away.state.lastId !== here.state.lastId) pieces.push(await away.take());
    expect(Math.max(...pieces.map((piece) => piece.length))).toBeLessThan(120_000);
    expect(away.state.text.match(/"type":"moved"/g)).toHaveLength(10);
  });

  test("of one run tells of no other", async () => {
    const { runId } = await world.agent("s1").ok("start", { workflow: "walk" });
    const reader = listen().read({ project: "p", run: runId });
    await reader.take();
    await world.agent("s2").ok("start", { workflow: "walk", another: true });
    await world.agent("s1").ok("advance", { run: runId, output: "the plan" });
    expect(await reader.next()).toMatchObject({ type: "moved", runId });
  });

  test("shows that it is alive while nothing happens", async () => {
    const reader = listen({ heartbeat: 10 }).read();
    await reader.take();
    expect(await reader.take()).toMatch(/^: still here\n/);
  });

  test("is refused if there are too many, until one is closed", async () => {
    const { live, read } = listen({ mostStreams: 2 });
    const [first] = [read(), read()];
    expect(() => read()).toThrow(expect.objectContaining({ status: 503, code: "streams-full" }));
    await first.close();
    expect(live.streams).toBe(1);
    await read().take();
  });

  test("is what makes the server look at the projects, and the end of the last one ends that", async () => {
    const { live, read, looks } = listen({ grace: 0 });
    expect(looks.count).toBe(0);
    const reader = read();
    await reader.take();
    const { lastId } = reader.state;
    await reader.close();
    // What happens while nobody looks is not known.
    await expect.poll(() => live.isWatching).toBe(false);
    expect(await read({}, lastId).next()).toEqual({ type: "reset" });
  });

  test("tells of a project that comes or goes later, so that its runs are read", async () => {
    await world.agent("s1").ok("start", { workflow: "walk" });
    const rows = [{ id: "p", problem: null as string | null }];
    const reader = listen({ projects: { list: () => [...rows], open: () => world.script().deps } }).read();
    await reader.take();
    rows.push({ id: "q", problem: null });
    expect(await reader.next()).toEqual({ type: "reset" });
    rows[1] = { id: "q", problem: "the folder is gone" };
    expect(await reader.next()).toEqual({ type: "reset" });
  });

  test("tells at the next look that a run was reopened", async () => {
    const { runId } = await world.agent("s1").ok("start", { workflow: "walk" });
    await world.person().ok("abort", { run: runId });
    const told: LiveMessage[] = [];
    const { look } = watchProject("p", world.script().deps, (error) => expect.unreachable(String(error)));
    for (let looks = 0; looks < 2; looks += 1) await look((message) => told.push(message));
    await world.person().ok("reopen", { run: runId });
    await look((message) => told.push(message));
    expect(told).toContainEqual({ type: "run", card: expect.objectContaining({ runId, endedAt: null }) });
  });

  test("survives a run that cannot be read", async () => {
    const broken = await world.agent("s1").ok("start", { workflow: "walk" });
    const reader = listen().read();
    await reader.take();
    world.write(`.holdfast/runs/${broken.runId}/journal.jsonl`, "garbage\ngarbage\n");
    const { runId } = await world.agent("s2").ok("start", { workflow: "walk", another: true });
    expect(await reader.until(({ type }) => type === "run")).toMatchObject({ card: { runId } });
  });
});
