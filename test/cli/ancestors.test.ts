import { mkdirSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { cleared, flow, hasScript, isLinux, run, waiting } from "./agents-above.ts";
import { createProject, type Project } from "./program.ts";

/** A program of this name that runs a line of shell. Nothing may follow `exec`, or it would no longer be above. */
function agentNamed(project: Project, name: string): string {
  const folder = join(project.home, "bin");
  mkdirSync(folder, { recursive: true });
  symlinkSync("/bin/sh", join(folder, name));
  return join(folder, name);
}

it.runIf(isLinux && hasScript).each([
  ["a cleared environment and a terminal of its own", `${cleared}; exit $?`],
  ["the same in a session of its own", `setsid --wait ${cleared}; exit $?`],
  ["the same without hangups", `nohup ${cleared}; exit $?`],
  ["many shells", `${"sh -c '".concat(`${cleared}; exit $?`)}'; exit $?`],
])("whatever an agent does with %s, its name above is found", async (_, line) => {
  const project = await waiting();
  const before = project.journal();
  const { stdout } = await run(project, [agentNamed(project, "claude"), "-c", line]);
  expect(stdout.replace(/\s+/g, " ")).toMatch(
    /^refused: approving is for a person: an agent has started this: "claude" \(process \d+\) is above it \(person-needed\)/,
  );
  expect(project.journal()).toBe(before);
});

it.runIf(isLinux && hasScript)("what a workflow runs cannot act as a person", async () => {
  const project = createProject();
  const line = `${cleared} > said.txt; true`;
  project.write(".holdfast/workflows/flow.yaml", flow.replace("gate: [", `gate: [{ run: ${JSON.stringify(line)} }, `));
  project.write("../home/.config/holdfast/config.yaml", "trust: all\n");
  await project.holdfast(["start", "flow"]);
  const refused = await project.holdfast(["advance"]);
  expect(refused.stderr).toContain("(approval-needed)");
  expect(project.read("said.txt").replace(/\s+/g, " ")).toMatch(/with HOLDFAST_AGENT set\) is above it/);
});
