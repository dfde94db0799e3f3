import { spawn, spawnSync } from "node:child_process";
import { mkdirSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { expect } from "vitest";
import { createProject, ended, type Project, program } from "./program.ts";

export const isLinux = process.platform === "linux";
const recorder = "script";
export const hasScript = String(spawnSync(recorder, ["--version"]).stdout).includes("util-linux");

export const flow = `
name: flow
description: Waits for a person
steps:
  - { id: ship, type: action, instructions: Ship, gate: [{ approval: human }] }
`;

export async function waiting(): Promise<Project> {
  const project = createProject();
  project.write(".holdfast/workflows/flow.yaml", flow);
  await project.holdfast(["start", "flow"]);
  await project.holdfast(["advance"]);
  return project;
}

export function run(
  project: Project,
  [file = "", ...args]: readonly string[],
  env: Readonly<Record<string, string>> = {},
) {
  return ended(spawn(file, args, { cwd: project.root, env: { ...project.env, SHELL: "/bin/sh", ...env } }));
}

export const inTerminal = `script -qec "${process.execPath} ${program} approve --no-color" /dev/null`;
export const cleared = `env -i HOME=$HOME PATH=$PATH SHELL=/bin/sh ${inTerminal}`;

/** A program of this name that runs a line of shell. Nothing may follow `exec`, or it would no longer be above. */
function agentNamed(project: Project, name: string): string {
  const folder = join(project.home, "bin");
  mkdirSync(folder, { recursive: true });
  symlinkSync("/bin/sh", join(folder, name));
  return join(folder, name);
}

/** An agent that runs this line is found, and nothing is approved. */
export async function expectFound(line: string): Promise<void> {
  const project = await waiting();
  const before = project.journal();
  const { stdout } = await run(project, [agentNamed(project, "claude"), "-c", line]);
  expect(stdout.replace(/\s+/g, " ")).toMatch(
    /^refused: approving is for a person: an agent has started this: "claude" \(process \d+\) is above it \(person-needed\)/,
  );
  expect(project.journal()).toBe(before);
}
