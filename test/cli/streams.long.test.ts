import { spawn } from "node:child_process";
import { expect, it } from "vitest";
import { ended, program } from "./program.ts";
import { followLog, projectWithFlow } from "./streams-project.ts";

it.each(["SIGINT", "SIGTERM"] as const)("log --follow ends cleanly on %s", async (signal) => {
  const project = projectWithFlow();
  await project.holdfast(["start", "flow"]);
  const { child, end, atLeast } = followLog(project);
  await atLeast(2);
  child.kill(signal);
  const { code, stderr } = await end;
  expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
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
