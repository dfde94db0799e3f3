import { mkdirSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { type Calling, createProject, type Project, program } from "./program.ts";

export interface Finding {
  readonly name: string;
  readonly status: string;
  readonly message: string;
  readonly next?: string;
}

/** What was found in one part, without what depends on the machine's speed, or holds in every project. */
export async function examine(project: Project, title: string, calling?: Calling): Promise<Finding[]> {
  const { value } = await project.json(["doctor"], calling);
  const part = value.parts.find((each: { readonly title: string }) => each.title === title);
  return part.findings.filter(({ name }: Finding) => name !== "latency" && name !== "subfolders");
}

export async function setUp(host = "claude"): Promise<Project> {
  const project = createProject();
  await project.holdfast(["init", "--host", host, "--yes"]);
  return project;
}

/** With the program on the path, as a user has it who installed it for all projects. */
export function withProgram(project: Project): Calling {
  const bin = join(project.home, "bin");
  mkdirSync(bin);
  symlinkSync(program, join(bin, "holdfast"));
  return { env: { PATH: `${bin}:${project.env.PATH}` } };
}

export function well(name: string, message: string): Finding {
  return { name, status: "well", message };
}

export function mend(name: string, message: string, next: string): Finding {
  return { name, status: "mend", message, next };
}
