import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { cleared, expectFound, hasScript, inTerminal, isLinux, run, waiting } from "./agents-above.ts";

it.runIf(isLinux && hasScript).each([
  ["the same in a session of its own", `setsid --wait ${cleared}; exit $?`],
  ["the same without hangups", `nohup ${cleared}; exit $?`],
  ["many shells", `${"sh -c '".concat(`${cleared}; exit $?`)}'; exit $?`],
])("whatever an agent does with %s, its name above is found", (_, line) => expectFound(line));

it.runIf(isLinux && hasScript)("a script of an agent is found by its name, whatever interprets it", async () => {
  const project = await waiting();
  const script = join(project.home, "gemini.cjs");
  const call = `require("node:child_process").spawnSync("sh", ["-c", ${JSON.stringify(cleared)}], { stdio: "inherit" })`;
  writeFileSync(script, call);
  const { stdout } = await run(project, [process.execPath, "--no-warnings", script]);
  expect(stdout.replace(/\s+/g, " ")).toMatch(/an agent has started this: "[^"]+" \(process \d+\) is above it/);
});

it.runIf(isLinux && hasScript)("what a shell above was started with is found, even if it forgot it", async () => {
  const project = await waiting();
  const line = `unset CLAUDECODE; ${inTerminal}; exit $?`;
  const { stdout } = await run(project, ["/bin/sh", "-c", line], { CLAUDECODE: "1" });
  expect(stdout.replace(/\s+/g, " ")).toMatch(/"sh" \(process \d+, with CLAUDECODE set\) is above it/);
});
