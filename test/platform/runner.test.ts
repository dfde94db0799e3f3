import { spawn } from "node:child_process";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { isRunnerAlive, runnerOf, thisRunner } from "../../src/platform/runner.ts";

test("a process is alive until it dies, also while its parent has not noticed, and another with its number is not it", async () => {
  expect(isRunnerAlive(thisRunner())).toBe(true);
  expect(isRunnerAlive(`${process.pid}.1`)).toBe(process.platform !== "linux");
  expect(isRunnerAlive("nonsense")).toBe(false);

  // The shell starts a child, becomes a program that never waits for it, and tells its number.
  const parent = spawn("sh", ["-c", "sleep 1000 & echo $!; exec sleep 1000"], { stdio: ["ignore", "pipe", "inherit"] });
  try {
    const [line] = await once(parent.stdout, "data");
    const child = Number(String(line).trim());
    const runner = runnerOf(child);
    expect(isRunnerAlive(runner)).toBe(true);
    // Until it has become the other program, the shell would notice.
    if (process.platform === "linux")
      await expect.poll(() => readFileSync(`/proc/${parent.pid}/comm`, "utf8")).toBe("sleep\n");
    process.kill(child, "SIGKILL");
    await expect.poll(() => isRunnerAlive(runner)).toBe(false);
    if (process.platform === "linux") expect(process.kill(child, 0)).toBe(true);
  } finally {
    parent.kill("SIGKILL");
  }
});
