import { spawn } from "node:child_process";
import { cpSync, existsSync, mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { type Answer, type Calling, createProject, ended, type Project, program } from "./program.ts";

export interface Finding {
  readonly name: string;
  readonly status: string;
  readonly message: string;
  readonly next?: string;
}

/** What was found in one part, without what depends on the machine's speed, or holds in every project. */
export async function examine(project: Project, title: string, calling?: Calling): Promise<Finding[]> {
  const { value } = calling === undefined ? await project.json(["doctor"]) : await doctor(project, calling);
  const part = value.parts.find((each: { readonly title: string }) => each.title === title);
  return part.findings.filter(({ name }: Finding) => name !== "latency" && name !== "subfolders");
}

/** As a process of its own: the doctor tries only its own installation, and that is the bundled program. */
export async function doctor(project: Project, calling: Calling): Promise<Answer> {
  const { code, stdout } = await project.bundled(["doctor", "--json"], calling);
  return { code, value: JSON.parse(stdout) };
}

/** Installs Holdfast in a project, with another hook; what the doctor of that installation finds. */
export function installWithHook(project: Project, hook: string): () => Promise<Finding[]> {
  const home = join(project.root, "node_modules/holdfast");
  const built = join(dirname(program), "../..");
  for (const part of ["dist/bin", "package.json", "workflows"]) {
    cpSync(join(built, part), join(home, part), { recursive: true, dereference: true });
  }
  writeFileSync(join(home, "dist/bin/hook.cjs"), hook);
  return async () => {
    const words = [join(home, "dist/bin/holdfast.js"), "doctor", "--json"];
    const { stdout } = await ended(spawn(process.execPath, words, { cwd: project.root, env: project.env }));
    return JSON.parse(stdout).parts[0].findings;
  };
}

/** A package that leaves a mark when it is run. */
export function install(project: Project, folder: string, version: string): string {
  project.write(join(folder, "package.json"), JSON.stringify({ name: "holdfast", version }, null, 2));
  const script = `require("node:fs").writeFileSync(${JSON.stringify(join(project.home, "has-run"))}, "");\n`;
  for (const name of ["hook.cjs", "holdfast.js"]) project.write(join(folder, "dist/bin", name), script);
  return join(project.root, folder);
}

export function hasRun(project: Project): boolean {
  return existsSync(join(project.home, "has-run"));
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

export function note(name: string, message: string, next: string): Finding {
  return { name, status: "note", message, next };
}
