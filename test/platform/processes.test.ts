import { spawn } from "node:child_process";
import { randomInt } from "node:crypto";
import { readdirSync, readFileSync } from "node:fs";
import { describe, expect, it, vi } from "vitest";
import { type Execution, execute } from "../../src/platform/processes.ts";

const shell = (script: string): readonly string[] => ["/bin/sh", "-c", script];

function run(argv: readonly string[], more: Partial<Execution> = {}) {
  return execute({ argv, cwd: "/", env: process.env, timeoutMs: 60_000, tailBytes: 4_000, ...more });
}

/** A length of sleep that nobody else on this machine sleeps, so that whoever is left over can be told. */
function markedSleep(): string {
  return `sleep 1000.${randomInt(1e9, 9e9)}`;
}

/** Everyone who has this sleep in their command line: the sleepers and the shells that started them. */
function involved(sleep: string): string[] {
  return readdirSync("/proc").filter((pid) => Number(pid) !== process.pid && commandLine(pid).includes(sleep));
}

function commandLine(pid: string): string {
  if (!/^\d+$/.test(pid)) return "";
  try {
    return readFileSync(`/proc/${pid}/cmdline`, "utf8").replaceAll("\0", " ").trim();
  } catch {
    return "";
  }
}

const patience = { timeout: 20_000, interval: 20 };
const noneLeft = (sleep: string) => vi.waitFor(() => expect(involved(sleep)).toEqual([]), patience);

function asleep(sleep: string, count: number): Promise<void> {
  const sleepers = () => involved(sleep).filter((pid) => commandLine(pid) === sleep);
  return vi.waitFor(() => expect(sleepers()).toHaveLength(count), patience);
}

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

  it("runs in the folder it is told, with the environment it is told and nothing else of ours", async () => {
    const ended = await run(shell('pwd; echo "$ONLY"; env | cut -d= -f1 | grep -v ^HOLDFAST_EXECUTION_ | sort'), {
      cwd: "/usr",
      env: { ONLY: "this", PATH: "/usr/bin:/bin", GONE: undefined },
    });
    expect(ended).toMatchObject({ exitCode: 0, tail: "/usr\nthis\nONLY\nPATH\nPWD\n" });
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

/** Long enough for a shell to have begun, on a busy machine too. */
const soon = 1_000;

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

  it("is killed when it ignores the request", async () => {
    const sleep = markedSleep();
    const ended = await run(shell(`trap '' TERM; echo begun; ${sleep}`), { timeoutMs: soon });
    expect(ended).toMatchObject({ type: "timed-out", tail: "begun\n" });
    await noneLeft(sleep);
  });

  it("is killed when it is stopped, too", async () => {
    const sleep = markedSleep();
    expect(await run(shell(`${sleep} & kill -STOP $!; wait`), { timeoutMs: soon })).toMatchObject({
      type: "timed-out",
    });
    await noneLeft(sleep);
  });

  it("is killed in a session of its own, too", async () => {
    const sleep = markedSleep();
    expect(await run(["setsid", ...sleep.split(" ")], { timeoutMs: soon })).toMatchObject({ type: "timed-out" });
    await noneLeft(sleep);
  });

  it("is not cut short by a limit longer than a timer can count", async () => {
    expect(await run(shell("sleep 0.1; exit 2"), { timeoutMs: 3_600_000_000_000 })).toMatchObject({ exitCode: 2 });
  });
});

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
