import { describe, expect, test } from "vitest";
import { costlyWorld, walk } from "./costly.ts";

describe("costs", () => {
  test("count the newest 500 runs, and say how many there were before", async () => {
    const world = costlyWorld();
    const first = await walk(world, "s1");
    const { deps } = world.script();
    const events = await world.script().events(first);
    for (let n = 0; n < 501; n++) {
      const runId = first.replace(/-\w{4}$/, `-c${String(n).padStart(3, "0")}`);
      const own = events.map((event) => (event.type === "run-started" ? { ...event, runId } : event));
      await deps.store.append(runId, 0, own);
    }
    const { leftOut, runs } = await world.script().ok("costs", {});
    expect([leftOut, runs.length]).toEqual([2, 500]);
  });
});
