import { execFileSync } from "node:child_process";
import { expect } from "vitest";
import { createProject, type Project } from "./program.ts";

export const local = ".claude/settings.local.json";
export const all = ["--permission", "--status-line", "--hidden-cards", "--gitignore"];

export async function init(project: Project, ...words: readonly string[]) {
  const { code, value } = await project.json(["init", "--host", "claude", "--yes", ...words]);
  expect(code).toBe(0);
  return value;
}

export function localSettings(project: Project) {
  return JSON.parse(project.read(local));
}

/** What a status line shows, as Claude Code would run it. */
export function shown(project: Project, input: object = {}, env: Readonly<Record<string, string>> = {}): string {
  const { command } = localSettings(project).statusLine;
  return execFileSync("/bin/sh", ["-c", command], {
    cwd: project.root,
    env: { ...project.env, ...env },
    input: JSON.stringify(input),
    stdio: ["pipe", "pipe", "ignore"],
    encoding: "utf8",
  });
}

/** Holdfast as a package of the project, which prints a line of its own. */
export function installLine(project: Project): void {
  project.write("node_modules/holdfast/package.json", '{ "name": "holdfast", "type": "module" }');
  project.write(
    "node_modules/holdfast/dist/bin/holdfast.js",
    'import { readFileSync } from "node:fs";\nconsole.log("ours", process.argv[2], JSON.parse(readFileSync(0, "utf8")).session_id);\n',
  );
}

export function gitProject(): Project {
  const project = createProject();
  execFileSync("git", ["init", "--quiet"], { cwd: project.root });
  return project;
}

/** A status line of a person's own. */
export const own = `read -r line; printf "it's %s" "$line" # done`;

export const texts: readonly (readonly [string, Readonly<Record<string, string>>])[] = [
  ["nothing", {}],
  ["empty files", { [local]: "{}", ".gitignore": "", ".holdfast/config.yaml": "" }],
  [
    "files of a person",
    {
      [local]: '{\r\n\t// mine\r\n\t"permissions": { "allow": ["Bash(ls)"], "deny": [] }\r\n}',
      ".gitignore": "node_modules/\n\n# mine\ndist",
      ".holdfast/config.yaml": "# mine\nhandoff:\n  limit: 2000\n",
    },
  ],
  ["a permission of a person's own", { [local]: '{ "permissions": { "allow": ["mcp__holdfast", "Bash(ls)"] } }\n' }],
  ["a .gitignore with other line ends", { ".gitignore": "a\r\nb\r\n" }],
];
