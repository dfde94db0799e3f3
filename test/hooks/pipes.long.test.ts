import { execFileSync } from "node:child_process";
import { readFileSync, rmSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, describe, expect, it } from "vitest";
import type { Project } from "../cli/program.ts";
import { session } from "./events.ts";
import { runHook } from "./hook-program.ts";
import { copyOf, filesOf, startedProject } from "./run-project.ts";

let pattern: Project;

beforeAll(async () => {
  pattern = await startedProject();
  execFileSync("git", ["init", "--quiet"], { cwd: pattern.root });
  execFileSync("git", ["add", "docs"], { cwd: pattern.root });
  pattern.write(".holdfast/config.yaml", "tracked: { local: [CLAUDE.local.md] }\n");
  await runHook(pattern, "SessionStart", { session_id: session, source: "startup" });
});

/** The files that a hook may read, without git's own that only git reads. */
function ownFiles(): string[] {
  return [...filesOf(pattern).keys(), ".holdfast/hooks.log", ".git/packed-refs", ".git/commondir"].filter(
    (path) => !/^\.git\/(objects|hooks|info|config|description)/.test(path),
  );
}

const isWindows = process.platform === "win32";

describe.skipIf(isWindows)("in a project that somebody else packed", () => {
  it("no file blocks a hook, even if it is a pipe that nobody writes to", async () => {
    const ends: Record<string, number | null> = {};
    for (const path of ownFiles()) {
      const project = copyOf(pattern);
      rmSync(join(project.root, path), { force: true });
      execFileSync("/bin/sh", ["-c", 'mkfifo "$0"', join(project.root, path)]);
      const input = { session_id: session, source: "compact" };
      ends[path] = (await runHook(project, "SessionStart", input)).code;
    }
    expect(ends).toEqual(Object.fromEntries(Object.keys(ends).map((path) => [path, 0])));
  });

  it("a session's log that is a link leads no hook to the file behind it", async () => {
    const project = copyOf(pattern);
    const log = ownFiles().find((path) => /sessions\/[0-9a-f]{32}\.jsonl$/.test(path)) ?? "missing";
    project.write("precious.txt", "mine\n");
    rmSync(join(project.root, log));
    symlinkSync(join(project.root, "precious.txt"), join(project.root, log));
    const { code, stdout } = await runHook(project, "SessionStart", { session_id: session, source: "compact" });
    expect(code).toBe(0);
    expect(stdout).toContain("CONTINUE HERE");
    expect(readFileSync(join(project.root, "precious.txt"), "utf8")).toBe("mine\n");
  });
});
