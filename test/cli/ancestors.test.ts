import { spawn, spawnSync } from "node:child_process";
import { mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { createProject, ended, type Project, program } from "./program.ts";

const isLinux = process.platform === "linux";
const recorder = "script";
const hasScript = String(spawnSync(recorder, ["--version"]).stdout).includes("util-linux");

const flow = `
name: flow
description: Waits for a person
steps:
  - { id: ship, type: action, instructions: Ship, gate: [{ approval: human }] }
`;

async function waiting(): Promise<Project> {
  const project = createProject();
  project.write(".holdfast/workflows/flow.yaml", flow);
  await project.holdfast(["start", "flow"]);
  await project.holdfast(["advance"]);
  return project;
}

/** A program of this name that runs a line of shell. Nothing may follow `exec`, or it would no longer be above. */
function agentNamed(project: Project, name: string): string {
  const folder = join(project.home, "bin");
  mkdirSync(folder, { recursive: true });
  symlinkSync("/bin/sh", join(folder, name));
  return join(folder, name);
}

function run(project: Project, [file = "", ...args]: readonly string[], env: Readonly<Record<string, string>> = {}) {
  return ended(spawn(file, args, { cwd: project.root, env: { ...project.env, SHELL: "/bin/sh", ...env } }));
}

const inTerminal = `script -qec "${process.execPath} ${program} approve --no-color" /dev/null`;
const cleared = `env -i HOME=$HOME PATH=$PATH SHELL=/bin/sh ${inTerminal}`;

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
