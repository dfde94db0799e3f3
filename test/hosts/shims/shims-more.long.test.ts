import { execFileSync } from "node:child_process";
import { mkdirSync, rmSync, symlinkSync } from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect, it } from "vitest";
import { runNearest } from "../../../src/hosts/shims/find-shim.ts";
import { call, git, hook, installIn, prepare, said } from "./stand-in.ts";

describe("the hook's shim", () => {
  it("calls one above the project, as in a workspace", async () => {
    const project = prepare();
    installIn(project, "../node_modules/holdfast", "above");
    expect(await call(project, hook)).toEqual(said("above"));
  });

  it("calls the project itself when that is Holdfast", async () => {
    const project = prepare();
    installIn(project, ".", "itself");
    expect(await call(project, hook)).toEqual(said("itself"));
  });

  it.each([
    [
      "holdfast",
      '#!/bin/sh\nbasedir=$(dirname "$0")\nexec node  "$basedir/global/5/node_modules/holdfast/dist/bin/holdfast.js" "$@"\n',
    ],
    [
      "holdfast.cmd",
      '@ECHO off\r\n"%_prog%"  "%dp0%\\global\\5\\node_modules\\holdfast\\dist\\bin\\holdfast.js" %*\r\n',
    ],
  ])("calls the user's where a script of npm or pnpm names it: %s", async (name, script) => {
    const project = prepare();
    installIn(project, "../bin/global/5/node_modules/holdfast", "user's");
    const file = project.write(`../bin/${name}`, script);
    expect(await call(project, hook, dirname(file))).toEqual(said("user's"));
  });

  it("is called by its older form, which settings that need not change still name", async () => {
    const project = prepare();
    const older = [".holdfast/hook.mjs", ...hook.slice(1)];
    expect(await call(project, older)).toEqual({ code: 0, stdout: "", stderr: "" });
    installIn(project, "node_modules/holdfast", "own");
    expect(await call(project, older)).toEqual(said("own"));
  });
});

describe("of a repository that brings its own Holdfast, a shim runs", () => {
  it.each([
    ["pack-refs", "--all"],
    ["checkout", "-q", "--detach"],
    ["status", "-s"],
  ])("nothing of a clone whose checkout has failed, which left files but no index (after git %s)", async (...words) => {
    const project = prepare();
    installIn(project, "node_modules/holdfast", "brought");
    git(project, "init", "-q");
    git(project, "add", "--all", "--force");
    git(project, "commit", "-qm", "x");
    git(project, ...words);
    rmSync(join(project.root, ".git/index"));
    expect(await call(project, hook)).toEqual({ code: 0, stdout: "", stderr: "" });
  });

  it("what somebody has installed in a repository without a commit", async () => {
    const project = prepare();
    git(project, "init", "-q");
    installIn(project, "node_modules/holdfast", "own");
    expect(await call(project, hook)).toEqual(said("own"));
  });

  it.each([[], ["-c", "index.version=4"]])("what somebody has installed there (git %s)", async (...settings) => {
    const project = prepare();
    git(project, "init", "-q");
    project.write(".gitignore", "node_modules\n");
    project.write("link", "A name that is in a split index, too\n");
    git(project, ...settings, "add", "--all");
    installIn(project, "node_modules/holdfast", "own");
    expect(await call(project, hook, process.env.PATH)).toEqual(said("own"));
  });

  it("what pnpm has installed there", async () => {
    const project = prepare();
    git(project, "init", "-q");
    git(project, "add", "--all");
    installIn(project, "node_modules/.pnpm/holdfast@1/node_modules/holdfast", "own");
    symlinkSync(".pnpm/holdfast@1/node_modules/holdfast", join(project.root, "node_modules/holdfast"));
    expect(await call(project, hook)).toEqual(said("own"));
  });

  it("nothing that would hold it up", async () => {
    const project = prepare();
    installIn(project, "../node_modules/holdfast", "above");
    for (const file of ["package.json", "node_modules/holdfast/dist/bin/hook.cjs"]) {
      mkdirSync(dirname(join(project.root, file)), { recursive: true });
      execFileSync("sh", ["-c", 'mkfifo "$0"', join(project.root, file)]);
    }
    expect(await call(project, hook)).toEqual(said("above"));
    expect(await call(project, [".holdfast/hook.mjs", ...hook.slice(1)])).toEqual(said("above"));
    expect((await call(project, [".holdfast/mcp.mjs"])).stdout).toContain("above");
    const nearest = ["-e", runNearest("hook"), "hook", ...hook.slice(1)];
    expect(await call(project, nearest)).toEqual(said("above"));
  });

  it("nothing behind names that no file can have, nor fails because of them", async () => {
    const project = prepare();
    installIn(project, "../node_modules/holdfast", "above");
    project.write(".git", "gitdir: a\0b\n");
    mkdirSync(join(project.root, "node_modules"));
    symlinkSync("holdfast", join(project.root, "node_modules/holdfast"));
    expect(await call(project, hook)).toEqual(said("above"));
  });
});
