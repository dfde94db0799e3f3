import { spawn } from "node:child_process";
import { existsSync, mkdirSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { createRunFiles } from "../../src/store/run-files.ts";
import { makeFolder, run } from "./project.ts";

test("a run is removed while another process keeps writing files into its folder", async () => {
  const { folder, remove } = makeFolder();
  onTestFinished(remove);
  const files = createRunFiles(folder);
  for (let round = 0; round < 20; round++) {
    mkdirSync(join(folder, run));
    const loop = 'echo begun; n=0; while : > "$0/$((n % 9))"; do n=$((n + 1)); done 2> /dev/null';
    const writer = spawn("/bin/sh", ["-c", loop, join(folder, run)], { stdio: ["ignore", "pipe", "ignore"] });
    onTestFinished(() => void writer.kill("SIGKILL"));
    const ended = new Promise((resolve) => writer.once("close", resolve));
    await new Promise((resolve) => writer.stdout.once("data", resolve));
    await files.removeRun(run);
    // It ends when its folder is gone.
    await ended;
    expect(readdirSync(folder)).toEqual([]);
  }
});

test("a snapshot that comes too late does not bring the folder of a removed run back", async () => {
  const { folder, remove } = makeFolder();
  onTestFinished(remove);
  const files = createRunFiles(folder);
  files.write(run, "template-0.json", "{}", "flushed");
  await files.removeRun(run);
  await files.removeRun(run);
  files.write(run, "snapshot.json", "{}", "quick");
  expect(existsSync(join(folder, run))).toBe(false);
});
