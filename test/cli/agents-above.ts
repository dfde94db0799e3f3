import { spawn, spawnSync } from "node:child_process";
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
