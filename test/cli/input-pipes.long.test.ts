import { execFileSync } from "node:child_process";
import { type FileHandle, open } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { createProject, ended, type Project, twoSteps } from "./program.ts";

const ann = ["--as", "Ann", "--secret-file", "pipe"];
const secret = "0123456789abcdef0123456789abcdef\n";

describe.each([
  ["advance --output-file", ["advance", "--output-file", "pipe"], "Planned", 130],
  ["goto --secret-file", ["goto", "ship", "--reason", "x", ...ann], secret, 3],
] as const)("%s with a pipe", (_name, words, text, interrupted) => {
  it("takes what is written into it", async () => {
    const { project, openPipe } = await startedProject();
    const child = project.begin(words);
    const pipe = await openPipe();
    await pipe.writeFile(text);
    await pipe.close();
    expect((await ended(child)).code).toBe(0);
    expect((await project.json(["status"])).value.step).toBe("ship");
  });

  it.each(["SIGINT", "SIGHUP"] as const)("ends with Ctrl-C or a hangup while it waits: %s", async (signal) => {
    const { project, openPipe } = await startedProject();
    const child = project.begin(words);
    const end = ended(child);
    const pipe = await openPipe();
    child.kill(signal);
    const { code, stderr } = await end;
    await pipe.close();
    expect(stderr).toMatch(/interrupted/);
    expect(code).toBe(interrupted);
    expect((await project.json(["status"])).value.step).toBe("plan");
  });
});

it("an endless device is refused before it fills the memory", async () => {
  const { project } = await startedProject();
  const { code, stderr } = await project.bundled(["advance", "--output-file", "/dev/zero"]);
  expect([code, stderr]).toEqual([2, expect.stringMatching(/^usage: \/dev\/zero has more than 100,000,000 bytes\n/)]);
});

/** A project with a live run, the user's secret and a named pipe. Opening the pipe waits until the program reads it. */
async function startedProject(): Promise<{ readonly project: Project; openPipe(): Promise<FileHandle> }> {
  const project = createProject();
  project.write(".holdfast/workflows/flow.yaml", twoSteps);
  project.write("../home/.config/holdfast/secret", secret);
  await project.holdfast(["start", "flow"]);
  const pipe = join(project.root, "pipe");
  execFileSync("/bin/sh", ["-c", 'mkfifo "$0"', pipe]);
  return { project, openPipe: () => open(pipe, "w") };
}
