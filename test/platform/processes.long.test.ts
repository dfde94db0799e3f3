import { describe, expect, it } from "vitest";
import { markedSleep, noneLeft, run, shell, soon } from "./sleepers.ts";

describe.concurrent("a program that takes too long", () => {
  it("is killed when it ignores the request", async () => {
    const sleep = markedSleep();
    const ended = await run(shell(`trap '' TERM; echo begun; ${sleep}`), { timeoutMs: soon });
    expect(ended).toMatchObject({ type: "timed-out", tail: "begun\n" });
    await noneLeft(sleep);
  });

  it("is killed in a session of its own, too", async () => {
    const sleep = markedSleep();
    expect(await run(["setsid", ...sleep.split(" ")], { timeoutMs: soon })).toMatchObject({ type: "timed-out" });
    await noneLeft(sleep);
  });
});
