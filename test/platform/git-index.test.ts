import { execFileSync } from "node:child_process";
import { mkdirSync, rmSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { contentOf } from "../app/world.ts";
import { createProject } from "../cli/program.ts";

const odd = {
  "a pipe": (path: string) => execFileSync("sh", ["-c", 'mkfifo "$0"', path]),
  "a link to an endless device": (path: string) => symlinkSync("/dev/zero", path),
  "a folder": (path: string) => mkdirSync(path),
} as const;

it.skipIf(process.platform === "win32").each(Object.keys(odd) as (keyof typeof odd)[])(
  "with %s in the place of git's index, init says which file it is and leaves everything as it was",
  async (name) => {
    const project = createProject();
    execFileSync("git", ["init", "--quiet"], { cwd: project.root });
    await project.holdfast(["init", "--host", "claude", "--yes"]);
    const index = join(project.root, ".git/index");
    rmSync(index, { force: true });
    odd[name](index);
    const before = contentOf(project.root);
    for (const words of [
      ["--remove", "--yes"],
      ["--host", "claude", "--yes"],
      ["--host", "claude", "--dry-run"],
    ]) {
      const { code, stderr } = await project.holdfast(["init", ...words]);
      const problem = name === "a folder" ? "it is a folder" : "it is a pipe or a device";
      expect([code, stderr]).toEqual([
        3,
        expect.stringContaining(`cannot read ${index}: ${problem} (file-unreadable)`),
      ]);
    }
    expect(contentOf(project.root)).toEqual(before);
  },
);
