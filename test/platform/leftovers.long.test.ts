import { spawn } from "node:child_process";
import { describe, expect, it } from "vitest";
import { asleep, markedSleep, noneLeft, run, shell, soon } from "./sleepers.ts";

const leavers: readonly (readonly [string, (sleep: string) => string])[] = [
  ["in its own group", (sleep) => `${sleep} &`],
  ["in a session of its own", (sleep) => `setsid ${sleep} &`],
  ["forked twice, without a parent", (sleep) => `( ( ${sleep} & ) & )`],
  ["forked twice, in a session of its own", (sleep) => `( setsid /bin/sh -c '${sleep} & ${sleep}' & )`],
  ["with nohup", (sleep) => `nohup ${sleep} >/dev/null 2>&1 &`],
  ["with all streams closed, ignoring every polite signal", (sleep) => `trap '' TERM HUP INT; ${sleep} <&- >&- 2>&- &`],
];

describe.concurrent("what a program leaves behind", () => {
  it.each(leavers)("%s is gone when the program has ended", async (_, leave) => {
    const sleep = markedSleep();
    const ended = await run(shell(`${leave(sleep)}\nsleep 0.05; echo done; exit 3`));
    expect(ended).toMatchObject({ type: "exited", exitCode: 3, tail: "done\n" });
    await noneLeft(sleep);
  });

  it.each(leavers)("%s is gone when the program took too long", async (_, leave) => {
    const sleep = markedSleep();
    expect(await run(shell(`${leave(sleep)}\n${sleep}`), { timeoutMs: soon })).toMatchObject({ type: "timed-out" });
    await noneLeft(sleep);
  });

  it.each(leavers)("%s is gone when we are killed with kill -9", async (_, leave) => {
    const sleep = markedSleep();
    const sleepers = leave(sleep).split(sleep).length;
    const argv = JSON.stringify(shell(`${leave(sleep)}\n${sleep}`));
    const worker = spawn(process.execPath, ["--import", "tsx", "test/platform/workers/execute.ts", argv]);
    const ended = new Promise((resolve) => worker.once("exit", resolve));
    await asleep(sleep, sleepers);
    worker.kill("SIGKILL");
    await ended;
    await noneLeft(sleep);
  });

  it("inside an execution of its own is gone with the outer one", async () => {
    const sleep = markedSleep();
    const controller = new AbortController();
    const inner = JSON.stringify(shell(`setsid ${sleep} & ${sleep}`));
    const outer = run([process.execPath, "--import", "tsx", "test/platform/workers/execute.ts", inner], {
      cwd: process.cwd(),
      signal: controller.signal,
    });
    await asleep(sleep, 2);
    controller.abort();
    expect(await outer).toMatchObject({ type: "cancelled" });
    await noneLeft(sleep);
  });
});
