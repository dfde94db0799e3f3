import { describe, expect, it } from "vitest";
import { asleep, markedSleep, noneLeft, run, shell, soon } from "./sleepers.ts";

describe("a program that runs to its end", () => {
  it("is told with its exit code and what it printed on both streams", async () => {
    const ended = await run(shell("echo out; echo err >&2; exit 7"));
    expect(ended).toMatchObject({ type: "exited", exitCode: 7 });
    expect("tail" in ended && ended.tail.split("\n").sort()).toEqual(["", "err", "out"]);
  });

  it("passes with exit code 0", async () => {
    expect(await run(["true"])).toMatchObject({ type: "exited", exitCode: 0, tail: "" });
  });

  it("is given its arguments as they are, whatever signs they hold", async () => {
    const ended = await run(["printf", "%s|", "a b", "$HOME", "`id`", "", "*", "'\"", "日本 🚀", "-n"]);
    expect(ended).toMatchObject({ exitCode: 0, tail: "a b|$HOME|`id`||*|'\"|日本 🚀|-n|" });
  });

  it("is a program, never a word that only a shell knows", async () => {
    expect(await run(["exit", "0"])).toMatchObject({ type: "exited", exitCode: 127 });
    expect(await run(["eval", "exit 0"])).toMatchObject({ type: "exited", exitCode: 127 });
  });

  it("runs in the folder it is told, with the environment it is told and our mark", async () => {
    const ended = await run(shell('pwd; echo "$ONLY"; env | cut -d= -f1 | grep -v ^HOLDFAST_EXECUTION_ | sort'), {
      cwd: "/usr",
      env: { ONLY: "this", PATH: "/usr/bin:/bin", GONE: undefined },
    });
    expect(ended).toMatchObject({ exitCode: 0, tail: "/usr\nthis\nHOLDFAST_AGENT\nONLY\nPATH\nPWD\n" });
  });

  it("reads nothing from our input", async () => {
    expect(await run(["cat"])).toMatchObject({ type: "exited", exitCode: 0, tail: "" });
  });

  it("that dies of a signal is counted as a shell counts it", async () => {
    expect(await run(shell("kill -KILL $$"))).toMatchObject({ type: "exited", exitCode: 137 });
  });

  it("may signal its whole group without taking its own result along", async () => {
    const ended = await run(shell("trap 'echo heard; exit 4' TERM; kill 0; exit 5"));
    expect(ended).toMatchObject({ type: "exited", exitCode: 4, tail: "heard\n" });
  });

  it("that closes its output is still waited for", async () => {
    expect(await run(shell("exec >&- 2>&-; sleep 0.3; exit 3"))).toMatchObject({ exitCode: 3, tail: "" });
  });

  it("has no child of ours to wait for", async () => {
    expect(await run(shell("exec /bin/sh -c 'wait; exit 6'"))).toMatchObject({ exitCode: 6 });
    const script = "import os\ntry: print(os.wait())\nexcept ChildProcessError: print('no child')";
    expect(await run(["python3", "-c", script])).toMatchObject({ exitCode: 0, tail: "no child\n" });
  });
});

describe("what a program prints", () => {
  it("is kept by its tail, in bounded memory, however much it is", async () => {
    const before = process.memoryUsage();
    let most = 0;
    const sampler = setInterval(() => {
      const { heapUsed, arrayBuffers } = process.memoryUsage();
      most = Math.max(most, heapUsed + arrayBuffers - before.heapUsed - before.arrayBuffers);
    }, 5);
    const ended = await run(shell("yes 0123456789012345678 | head -c 100000000; echo; echo the end"));
    clearInterval(sampler);
    expect(ended).toMatchObject({ type: "exited", exitCode: 0 });
    const lines = "tail" in ended ? ended.tail.split("\n") : [];
    expect(lines[0]).toMatch(/^\[99996\d{3} bytes left out\]$/);
    expect(lines[1]).toBe("0123456789012345678");
    expect(lines.slice(-4)).toEqual(["0123456789012345678", "", "the end", ""]);
    // What is garbage already counts too, until it is collected.
    expect(most).toBeLessThan(90_000_000);
  });

  it("is readable text even when its bytes are not", async () => {
    expect(await run(shell("printf 'a\\377\\300b\\342\\202'"))).toMatchObject({ tail: "a\uFFFD\uFFFDb\uFFFD" });
  });

  it("is never cut inside a character", async () => {
    const long = await run(shell("printf '€%.0s' 1 2 3 4 5 6 7 8 9 10"), { tailBytes: 10 });
    expect(long).toMatchObject({ tail: "[21 bytes left out]\n€€€" });
  });

  it("is cut at the beginning of a line where there is one in reach", async () => {
    expect(await run(shell("echo first line; echo second; echo third"), { tailBytes: 16 })).toMatchObject({
      tail: "[11 bytes left out]\nsecond\nthird\n",
    });
  });
});

describe("a program that cannot be started", () => {
  it("because there is none of that name, says so", async () => {
    const ended = await run(["no-such-program-anywhere"]);
    expect(ended).toMatchObject({ type: "exited", exitCode: 127 });
    expect(ended).toMatchObject({ tail: expect.stringContaining("no-such-program-anywhere: not found") });
  });

  it("because the file is not executable, says so", async () => {
    expect(await run(["/etc/passwd"])).toMatchObject({ type: "exited", exitCode: 126 });
  });

  it("because its folder is missing, names the folder", async () => {
    expect(await run(["true"], { cwd: "/no/such/folder" })).toEqual({
      type: "not-started",
      problem: "there is no folder /no/such/folder",
    });
  });

  it("because its folder is a file, is told and does not throw", async () => {
    expect(await run(["true"], { cwd: "/etc/passwd" })).toMatchObject({ type: "not-started" });
  });

  it("because a value holds a zero byte, is told and does not throw", async () => {
    expect(await run(["true"], { env: { X: "a\0b" } })).toMatchObject({ type: "not-started" });
    expect(await run(["echo", "a\0b"])).toMatchObject({ type: "not-started" });
  });

  it("because its environment is larger than the system takes, is told and does not throw", async () => {
    expect(await run(["true"], { env: { X: "x".repeat(3_000_000) } })).toMatchObject({ type: "not-started" });
  });
});

describe.concurrent("a program that takes too long", () => {
  it("is ended, and what it printed is kept", async () => {
    const sleep = markedSleep();
    const ended = await run(shell(`echo begun; ${sleep}; echo never`), { timeoutMs: soon });
    expect(ended).toMatchObject({ type: "timed-out", tail: "begun\n" });
    await noneLeft(sleep);
  });

  it("may end in its own way within the time of grace", async () => {
    const sleep = markedSleep();
    const script = `trap 'echo putting away; exit 0' TERM; echo begun; ${sleep} & wait`;
    const ended = await run(shell(script), { timeoutMs: soon });
    expect(ended).toMatchObject({ type: "timed-out", tail: "begun\nputting away\n" });
    await noneLeft(sleep);
  });

  it("is killed when it is stopped, too", async () => {
    const sleep = markedSleep();
    expect(await run(shell(`${sleep} & kill -STOP $!; wait`), { timeoutMs: soon })).toMatchObject({
      type: "timed-out",
    });
    await noneLeft(sleep);
  });

  it("is not cut short by a limit longer than a timer can count", async () => {
    expect(await run(shell("sleep 0.1; exit 2"), { timeoutMs: 3_600_000_000_000 })).toMatchObject({ exitCode: 2 });
  });
});

describe("a cancelled program", () => {
  it("is not even started when it was cancelled before", async () => {
    const ended = await run(shell("echo started"), { signal: AbortSignal.abort() });
    expect(ended).toEqual({ type: "cancelled", tail: "", durationMs: 0 });
  });

  it("is ended when that happens while it runs", async () => {
    const sleep = markedSleep();
    const controller = new AbortController();
    const ended = run(shell(`echo begun; setsid ${sleep} & ${sleep}`), { signal: controller.signal });
    await asleep(sleep, 2);
    controller.abort();
    expect(await ended).toMatchObject({ type: "cancelled", tail: "begun\n" });
    await noneLeft(sleep);
  });

  it("stays ended as it was when the cancel comes too late", async () => {
    const controller = new AbortController();
    const ended = await run(shell("exit 5"), { signal: controller.signal });
    controller.abort();
    expect(ended).toMatchObject({ type: "exited", exitCode: 5 });
  });
});
