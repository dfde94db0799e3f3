import { execFileSync, spawn } from "node:child_process";
import { mkdirSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { expect } from "vitest";
import { shims } from "../../../src/hosts/shims/shims.ts";
import { createProject, type Ended, ended, type Project } from "../../cli/program.ts";

/** Stands in for Holdfast: it says how it was called. */
export const standIn = (name: string) => `
let input = "";
process.stdin.on("data", (chunk) => { input += chunk; });
process.stdin.on("end", () => {
  process.stdout.write(JSON.stringify([${JSON.stringify(name)}, process.argv.slice(2), input]));
});
`;

export function prepare(): Project {
  const project = createProject();
  for (const [name, text] of Object.entries(shims)) project.write(`.holdfast/${name}`, text);
  return project;
}

export function installIn(project: Project, folder: string, name: string): void {
  project.write(join(folder, "package.json"), '{ "name": "holdfast", "type": "module" }\n'.replace("{ ", "{\n  "));
  for (const program of ["hook.cjs", "holdfast.js"]) project.write(join(folder, "dist/bin", program), standIn(name));
}

/** Nothing else is on the path, so that a Holdfast of this machine is not found. */
export async function call(project: Project, words: readonly string[], path = ""): Promise<Ended> {
  const env = { ...project.env, PATH: path };
  const child = spawn(process.execPath, words, { cwd: project.root, env, timeout: 20_000 });
  child.stdin.on("error", () => {});
  child.stdin.end("{}");
  return ended(child);
}

export const hook = [".holdfast/hook.cjs", "--host", "claude", "Stop"];
export const said = (name: string) => ({
  code: 0,
  stdout: JSON.stringify([name, ["--host", "claude", "Stop"], "{}"]),
  stderr: "",
});

/** Holdfast on the PATH of a user. */
export function installForUser(project: Project): string {
  installIn(project, "../prefix/lib/node_modules/holdfast", "user's");
  const bin = join(project.root, "../prefix/bin");
  mkdirSync(bin);
  symlinkSync("../lib/node_modules/holdfast/dist/bin/holdfast.js", join(bin, "holdfast"));
  return bin;
}

export function git(project: Project, ...words: readonly string[]): void {
  const config = ["user.name=A", "user.email=a@example.org", "protocol.file.allow=always"].flatMap((each) => [
    "-c",
    each,
  ]);
  execFileSync("git", [...config, ...words], { cwd: project.root, env: project.env, stdio: "pipe" });
}

export const brings: Readonly<Record<string, (project: Project) => void>> = {
  "in node_modules": (project) => installIn(project, "node_modules/holdfast", "brought"),
  "as the project itself": (project) => installIn(project, ".", "brought"),
  "behind a link": (project) => {
    installIn(project, "vendor/other", "brought");
    mkdirSync(join(project.root, "node_modules"));
    symlinkSync("../vendor/other", join(project.root, "node_modules/holdfast"));
  },
  "behind a link in place of node_modules": (project) => {
    installIn(project, "vendor/holdfast", "brought");
    symlinkSync("vendor", join(project.root, "node_modules"));
  },
  "behind a link inside the package": (project) => {
    installIn(project, "vendor", "brought");
    mkdirSync(join(project.root, "node_modules/holdfast/dist"), { recursive: true });
    symlinkSync("../../../vendor/dist/bin", join(project.root, "node_modules/holdfast/dist/bin"));
  },
  "outside, behind a link that it has committed": (project) => {
    installIn(project, "../elsewhere", "brought");
    mkdirSync(join(project.root, "node_modules"));
    symlinkSync("../../elsewhere", join(project.root, "node_modules/holdfast"));
  },
  "as a submodule": (project) => {
    const origin = createProject();
    installIn(origin, ".", "brought");
    for (const words of [
      ["init", "-q"],
      ["add", "--all"],
      ["commit", "-qm", "x"],
    ])
      git(origin, ...words);
    git(project, "init", "-q");
    git(project, "submodule", "--quiet", "add", origin.root, "node_modules/holdfast");
  },
};

/** Nothing of what a repository has brought in this way and tracks is run; what the user has installed is. */
export async function expectNothingTracked(
  bring: (project: Project) => void,
  settings: readonly string[] = [],
): Promise<void> {
  const project = prepare();
  bring(project);
  git(project, "init", "-q");
  git(project, ...settings, "add", "--all", "--force");
  expect(await call(project, hook, process.env.PATH)).toEqual({ code: 0, stdout: "", stderr: "" });
  expect((await call(project, [".holdfast/mcp.mjs", "statusline"], process.env.PATH)).stdout).toBe("");
  const path = `${installForUser(project)}:${process.env.PATH}`;
  expect(await call(project, hook, path)).toEqual(said("user's"));
}
