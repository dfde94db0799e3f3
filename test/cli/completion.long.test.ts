import { spawnSync } from "node:child_process";
import { chmodSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, describe, expect, it } from "vitest";
import { createProject, type Project, program, twoSteps } from "./program.ts";

let project: Project;
let run: string;

beforeAll(async () => {
  project = createProject();
  project.write(".holdfast/workflows/own-flow.yaml", twoSteps);
  // Names that a shell would run, if it got to see them.
  project.write(".holdfast/workflows/$(touch hacked).yaml", twoSteps);
  project.write(".holdfast/workflows/`touch hacked`;.yaml", twoSteps);
  run = (await project.json(["start", "own-flow"])).value.runId;
  mkdirSync(join(project.root, ".holdfast/runs/$(touch hacked)"));
  const bin = join(project.home, "bin");
  mkdirSync(bin);
  writeFileSync(join(bin, "holdfast"), `#!/bin/sh\nexec '${process.execPath}' '${program}' "$@"\n`);
  chmodSync(join(bin, "holdfast"), 0o755);
  for (const shell of ["bash", "zsh", "fish"]) {
    project.write(`completion.${shell}`, (await project.holdfast(["completion", shell])).stdout);
  }
});

function runIn(shell: string, args: readonly string[], input = "") {
  const path = `${join(project.home, "bin")}:${project.env.PATH}`;
  const env = { ...project.env, PATH: path, TERM: "dumb" };
  return spawnSync(shell, args, { cwd: project.root, env, input, encoding: "utf8", timeout: 60_000 });
}

function isMissing(shell: string): boolean {
  return spawnSync(shell, ["--version"]).error !== undefined;
}

/** What is typed, and what is offered for its last word. */
const offers: readonly (readonly [typed: readonly string[], offered: (given: string) => readonly string[]])[] = [
  [["de"], () => ["decide"]],
  [["decide", ""], () => ["abandon", "continue", "escalate", "go_to", "pivot", "retry", "skip"]],
  [["track", ""], () => ["complete", "phase", "remind", "start"]],
  [["track", "phase", "1/2", "--status", "b"], () => ["blocked"]],
  [["schema", ""], () => ["event", "run-line", "state", "template"]],
  [["push", "--keep", ""], () => ["local", "remote"]],
  [["init", "--host", "cl"], () => ["claude"]],
  [["start", "own"], () => ["own-flow"]],
  [["graph", "feat"], () => ["feature"]],
  [["start", "--summary", "two words", "own"], () => ["own-flow"]],
  [["status", "--run", ""], (given) => [given]],
  [["adopt", ""], (given) => [given]],
  [["advance", "--outc"], () => ["--outcome"]],
  [["completion", ""], () => ["bash", "fish", "zsh"]],
];

describe("in bash", () => {
  const complete = (typed: readonly string[]) => {
    const words = ["holdfast", ...typed].map((word) => `'${word}'`).join(" ");
    const call = `source completion.bash; COMP_WORDS=(${words}); COMP_CWORD=${typed.length}; _holdfast; printf '%s\\n' "\${COMPREPLY[@]}"`;
    const { stdout, stderr } = runIn("bash", ["--norc", "-c", call]);
    expect(stderr).toBe("");
    return stdout
      .split("\n")
      .filter((line) => line !== "")
      .sort();
  };

  it.each(offers)("completes %j", (typed, offered) => {
    expect(complete(typed)).toEqual(offered(run));
  });

  it("offers nothing after the last word, nor for a text", () => {
    expect(complete(["decide", "continue", ""])).toEqual([]);
    expect(complete(["advance", "--output", ""])).toEqual([]);
  });

  it("offers files where a file is wanted", () => {
    expect(complete(["lint", "completion.b"])).toEqual(["completion.bash"]);
    expect(complete(["export", run, "-o", "completion.z"])).toEqual(["completion.zsh"]);
  });

  it("offers every command, and runs nothing that a project names", () => {
    expect(complete([""])).toEqual(expect.arrayContaining(["advance", "mcp", "status", "track"]));
    complete(["start", ""]);
    complete(["status", "--run", ""]);
    expect(runIn("bash", ["-c", "ls"]).stdout).not.toContain("hacked");
  });
});

describe.skipIf(isMissing("fish"))("in fish (skipped where fish is not installed)", () => {
  it.each(offers)("completes %j", (typed, offered) => {
    const line = ["holdfast", ...typed.map((word) => (word.includes(" ") ? `"${word}"` : word))].join(" ");
    const { stdout, stderr } = runIn("fish", ["--no-config", "-c", `source completion.fish; complete -C '${line}'`]);
    expect(stderr).toBe("");
    const shown = stdout
      .split("\n")
      .map((each) => each.split("\t")[0] ?? "")
      .filter((each) => each !== "");
    expect(shown.sort()).toEqual(offered(run));
  });
});

describe.skipIf(isMissing("zsh"))("in zsh (skipped where zsh is not installed)", () => {
  // zsh completes only on a terminal, which it can open by itself, and only once its line editor waits for keys.
  const terminal = (keys: string) => `
zmodload zsh/zpty
zpty -b shell 'zsh -f -i'
zpty -w shell "PS1=; autoload -Uz compinit; compinit -u -D; source completion.zsh; unsetopt beep"
zpty -w shell "zle-line-init() { print -n RE''ADY }; zle -N zle-line-init"
zpty -r shell out '*READY*'
zpty -w -n shell $'${keys}'
zpty -w shell '; print -r DO''NE'
zpty -r shell out '*DONE*'
print -r -- $out
zpty -d shell
`;

  it.each([
    ["holdfast deci\\t con\\t", () => "holdfast decide continue"],
    ["holdfast track ph\\t 1/2 --status bl\\t", () => "holdfast track phase 1/2 --status blocked"],
    ["holdfast start own\\t", () => "holdfast start own-flow"],
    ["holdfast status --run two\\t", () => `holdfast status --run ${run}`],
  ])("completes %j", (keys, line) => {
    const { stdout } = runIn("zsh", ["-f"], terminal(keys));
    expect(stdout.replaceAll(" \b", "")).toContain(line());
  });
});

it("the names it asks for are silent where there is nothing to name", async () => {
  const empty = createProject();
  expect(await empty.holdfast(["completion", "runs"])).toEqual({ code: 0, stdout: "", stderr: "" });
  const { stdout } = await project.holdfast(["completion", "workflows"]);
  expect(stdout).toContain("own-flow\n");
  expect(stdout).not.toMatch(/[^\w.\-\n]/);
});

it("says which shells there are", async () => {
  const { code, stderr } = await project.holdfast(["completion", "bas"]);
  expect(code).toBe(2);
  expect(stderr).toContain('"bas" is not one of bash, zsh, fish; did you mean bash?');
});
