import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, rmSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { createProject, twoSteps } from "../cli/program.ts";

const odd = {
  "a pipe": (path: string) => execFileSync("sh", ["-c", 'mkfifo "$0"', path]),
  "a link to an endless device": (path: string) => symlinkSync("/dev/zero", path),
  "a folder": (path: string) => mkdirSync(path),
} as const;

it.skipIf(process.platform === "win32").each(Object.keys(odd) as (keyof typeof odd)[])(
  "with %s in the place of git's index, no run is used, and init --remove takes everything back",
  async (name) => {
    const project = createProject();
    project.write(".holdfast/workflows/flow.yaml", twoSteps);
    execFileSync("git", ["init", "--quiet"], { cwd: project.root });
    await project.holdfast(["init", "--host", "claude", "--yes"]);
    await project.holdfast(["start", "flow"]);
    const index = join(project.root, ".git/index");
    rmSync(index, { force: true });
    odd[name](index);
    // An archive can bring that along, and runs beside it, so nobody can tell whose they are.
    expect((await project.json(["status"])).value.error.message).toContain("there is no live run here");
    const [{ problem }] = (await project.json(["runs"])).value.damaged;
    expect(problem).toMatch(/\.git\/index: it is .*, so it may have come with the repository$/);
    expect(await project.holdfast(["init", "--remove", "--yes"])).toMatchObject({ code: 0, stderr: "" });
    expect(existsSync(join(project.root, ".claude/settings.json"))).toBe(false);
  },
);
