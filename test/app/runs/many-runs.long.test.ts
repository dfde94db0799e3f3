import { rmSync, symlinkSync, writeFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { crowdedWorld, index, indexed, liveIn } from "./crowded-world.ts";

describe("among many ended runs", () => {
  it("one that git has begun to track is no longer used", async () => {
    const { world } = await crowdedWorld();
    const live: string[] = [];
    for (let n = 0; n < 16; n++) {
      live.push((await world.agent("s1").ok("start", { workflow: "own", another: true })).runId);
    }
    await indexed(world, live);
    const [run = "", ...others] = live;
    world.git("add", "--force", world.runFolder(run));
    expect(new Set(await liveIn(world))).toEqual(new Set(others));
  });
});

describe("the index of runs", () => {
  it("may be cut off, empty, a link or a folder", async () => {
    const { world } = await crowdedWorld();
    const { runId } = await world.agent("s1").ok("start", { workflow: "own" });
    const whole = world.read(index);
    for (const length of [0, 1, 20, 500, whole.length >> 1, whole.length - 20, whole.length - 1]) {
      writeFileSync(world.path(index), whole.slice(0, length));
      expect(await liveIn(world)).toEqual([runId]);
    }
    rmSync(world.path(index));
    symlinkSync("/dev/zero", world.path(index));
    expect(await liveIn(world)).toEqual([runId]);
    rmSync(world.path(index), { force: true });
    world.write(`${index}/file`, "");
    expect(await liveIn(world)).toEqual([runId]);
  });
});
