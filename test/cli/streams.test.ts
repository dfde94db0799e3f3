import { spawn } from "node:child_process";
import { createInterface } from "node:readline";
import { expect, it } from "vitest";
import { createProject, ended, type Project, program, twoSteps } from "./program.ts";

function projectWithFlow(): Project {
  const project = createProject();
  project.write(".holdfast/workflows/flow.yaml", twoSteps);
  return project;
}

/** Follows a log line by line, while it goes on. */
function followLog(project: Project, words: readonly string[] = []) {
  const child = project.begin(["log", "--follow", ...words]);
  const lines: string[] = [];
  const reader = createInterface({ input: child.stdout });
  const waiting: { readonly count: number; resolve(): void }[] = [];
  reader.on("line", (line) => {
    lines.push(line);
    for (const { count, resolve } of waiting) if (lines.length >= count) resolve();
  });
  const end = ended(child);
  const atLeast = (count: number) =>
    new Promise<void>((resolve) => {
      if (lines.length >= count) resolve();
      else waiting.push({ count, resolve });
    });
  return { child, lines, end, atLeast };
}

it("log --follow --json prints one event a line as they come, and ends with the run", async () => {
  const project = projectWithFlow();
  await project.holdfast(["start", "flow"]);
  const { lines, end, atLeast } = followLog(project, ["--json"]);
  await atLeast(2);
  await project.holdfast(["advance", "--output", "planned"]);
  await atLeast(5);
  await project.holdfast(["advance", "--output", "shipped\nand done"]);
  const { code, stderr } = await end;
  expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
  const events = lines.map((line) => JSON.parse(line));
  expect(events.map(({ seq, type }) => `${seq} ${type}`)).toEqual([
    "1 run-started",
    "2 visit-entered",
    "3 visit-ended",
    "4 step-ended",
    "5 visit-entered",
    "6 visit-ended",
    "7 step-ended",
    "8 run-completed",
  ]);
  const last = (await project.json(["runs"])).value.runs[0].runId;
  const again = await project.holdfast(["log", "--follow", "--after", "7", "--json", "--run", last]);
  expect(again.stdout).toBe(`${lines[7]}\n`);
});

it.each(["SIGINT", "SIGTERM"] as const)("log --follow ends cleanly on %s", async (signal) => {
  const project = projectWithFlow();
  await project.holdfast(["start", "flow"]);
  const { child, end, atLeast } = followLog(project);
  await atLeast(2);
  child.kill(signal);
  const { code, stderr } = await end;
  expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
});

it("log --follow of no run is refused at once", async () => {
  const project = projectWithFlow();
  expect((await project.json(["log", "--follow"])).value.error.code).toBe("run-unknown");
});

it("whoever reads may leave early", async () => {
  const project = projectWithFlow();
  await project.holdfast(["start", "flow"]);
  await project.holdfast(["advance", "-"], { input: "long\n".repeat(180_000) });
  const calls = [
    `"$NODE" "$CLI" log --json | head -c 1`,
    `"$NODE" "$CLI" show 3 | head -1`,
    `"$NODE" "$CLI" schema | true`,
    `"$NODE" "$CLI" nope 2>&1 | true`,
  ];
  for (const call of calls) {
    const env = { ...project.env, NODE: process.execPath, CLI: program };
    const child = spawn("bash", ["-c", `set -o pipefail; ${call} >/dev/null`], { cwd: project.root, env });
    child.stdin.end();
    expect(await ended(child)).toEqual({ code: 0, stdout: "", stderr: "" });
  }
});

it("an output of a megabyte goes through, and one sign more does not", async () => {
  const project = projectWithFlow();
  await project.holdfast(["start", "flow"]);
  const most = "0123456789".repeat(100_000);
  expect((await project.json(["advance", "-"], { input: `${most}x` })).value.error.message).toBe(
    "--output must have at most 1,000,000 characters; it has 1,000,001",
  );
  expect((await project.json(["advance", "-"], { input: most })).code).toBe(0);
  const { stdout } = await project.holdfast(["show", "3", "--json"]);
  expect(JSON.parse(stdout).output).toBe(most);
});
