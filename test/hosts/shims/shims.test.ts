import { execFileSync, spawn } from "node:child_process";
import { chmodSync, mkdirSync, rmSync, symlinkSync, truncateSync } from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect, it } from "vitest";
import { runNearest } from "../../../src/hosts/shims/find-shim.ts";
import { shims } from "../../../src/hosts/shims/shims.ts";
import { ended } from "../../cli/program.ts";
import {
  brings,
  call,
  expectNothingTracked,
  git,
  hook,
  installForUser,
  installIn,
  prepare,
  said,
  standIn,
} from "./stand-in.ts";

describe("the hook's shim", () => {
  it("calls the project's own Holdfast", async () => {
    const project = prepare();
    installIn(project, "node_modules/holdfast", "own");
    installIn(project, "../node_modules/holdfast", "above");
    expect(await call(project, hook)).toEqual(said("own"));
  });

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

  it("calls the user's where a link on the path leads to it", async () => {
    const project = prepare();
    installIn(project, "../prefix/lib/node_modules/holdfast", "user's");
    const bin = join(project.root, "../prefix/bin");
    mkdirSync(bin);
    chmodSync(join(bin, "../lib/node_modules/holdfast/dist/bin/holdfast.js"), 0o755);
    symlinkSync("../lib/node_modules/holdfast/dist/bin/holdfast.js", join(bin, "holdfast"));
    expect(await call(project, hook, `relative:/nowhere:${bin}`)).toEqual(said("user's"));
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

  it("says nothing and does nothing where there is no Holdfast, or one that is too old", async () => {
    const project = prepare();
    expect(await call(project, hook)).toEqual({ code: 0, stdout: "", stderr: "" });
    project.write("node_modules/holdfast/dist/bin/holdfast.js", standIn("old"));
    const script = project.write("../bin/holdfast", "#!/bin/sh\nexit 1\n");
    expect(await call(project, hook, dirname(script))).toEqual({ code: 0, stdout: "", stderr: "" });
  });

  it("says nothing when Holdfast is broken", async () => {
    const project = prepare();
    project.write("node_modules/holdfast/dist/bin/hook.cjs", "this is no program");
    expect(await call(project, hook)).toEqual({ code: 0, stdout: "", stderr: "" });
  });

  it("is called by its older form, which settings that need not change still name", async () => {
    const project = prepare();
    const older = [".holdfast/hook.mjs", ...hook.slice(1)];
    expect(await call(project, older)).toEqual({ code: 0, stdout: "", stderr: "" });
    installIn(project, "node_modules/holdfast", "own");
    expect(await call(project, older)).toEqual(said("own"));
  });

  it("is small", () => {
    expect(shims["hook.cjs"].split("\n").length).toBeLessThan(110);
    expect(Object.values(shims).join("")).not.toMatch(/\/home|\/Users|[A-Z]:\\/);
  });
});

describe("of a repository that brings its own Holdfast, a shim runs", () => {
  it.each(Object.entries(brings))("nothing that is tracked %s ", (_, bring) => expectNothingTracked(bring));

  it("nothing that is tracked, in a linked worktree", async () => {
    const project = prepare();
    installIn(project, "node_modules/holdfast", "brought");
    git(project, "init", "-q");
    git(project, "add", "--all", "--force");
    git(project, "commit", "-qm", "x");
    git(project, "worktree", "add", "--quiet", "../linked");
    expect(await call(project, ["../linked/.holdfast/hook.cjs", ...hook.slice(1)])).toEqual({
      code: 0,
      stdout: "",
      stderr: "",
    });
  });

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

  it("what is built there, if it is Holdfast's own repository", async () => {
    const project = prepare();
    git(project, "init", "-q");
    project.write("package.json", '{\n  "name": "holdfast"\n}\n');
    git(project, "add", "--all");
    project.write("dist/bin/hook.cjs", standIn("built"));
    expect(await call(project, hook)).toEqual(said("built"));
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

  it.each(["package.json", ".git", ".git/index", "node_modules"])(
    "nothing that fills its memory: %s of more than a gigabyte",
    async (file) => {
      const project = prepare();
      const told = (where: string) => `console.log("${where}", process.resourceUsage().maxRSS < 400_000);\n`;
      project.write("../node_modules/holdfast/dist/bin/hook.cjs", told("above"));
      project.write("node_modules/holdfast/dist/bin/hook.cjs", told("brought"));
      rmSync(join(project.root, file), { recursive: true, force: true });
      project.write(file, "");
      // Sparse: it takes no room on the disk.
      truncateSync(join(project.root, file), 1_500_000_000);
      const where = [".git/index", "node_modules"].includes(file) ? "above" : "brought";
      expect(await call(project, hook)).toEqual({ code: 0, stdout: `${where} true\n`, stderr: "" });
    },
  );

  it("nothing behind names that no file can have, nor fails because of them", async () => {
    const project = prepare();
    installIn(project, "../node_modules/holdfast", "above");
    project.write(".git", "gitdir: a\0b\n");
    mkdirSync(join(project.root, "node_modules"));
    symlinkSync("holdfast", join(project.root, "node_modules/holdfast"));
    expect(await call(project, hook)).toEqual(said("above"));
  });
});

it("a shim tells what it would run, and what not, without running either", async () => {
  const project = prepare();
  installIn(project, "node_modules/holdfast", "brought");
  git(project, "init", "-q");
  git(project, "add", "--all", "--force");
  const path = installForUser(project);
  for (const [shim, program] of [
    ["hook.cjs", "hook.cjs"],
    ["mcp.mjs", "holdfast.js"],
  ] as const) {
    const { stdout } = await call(project, [`.holdfast/${shim}`, "--which"], path);
    expect(JSON.parse(stdout)).toEqual({
      found: join(project.root, "../prefix/lib/node_modules/holdfast/dist/bin", program),
      refused: [join(project.root, "node_modules/holdfast/dist/bin", program)],
    });
  }
});

describe("the server's shim", () => {
  it("starts the project's own server", async () => {
    const project = prepare();
    installIn(project, "node_modules/holdfast", "own");
    const { stdout } = await call(project, [".holdfast/mcp.mjs"]);
    expect(stdout).toBe(JSON.stringify(["own", ["mcp"], "{}"]));
  });

  it("is a server without tools where there is no Holdfast, and ends with its client", async () => {
    const project = prepare();
    const child = spawn(process.execPath, [".holdfast/mcp.mjs"], { cwd: project.root, env: { PATH: "" } });
    const methods = ["initialize", "notifications/initialized", "tools/list", "tools/call", "ping", "constructor"];
    methods.forEach((method, index) => {
      const id = method.startsWith("notifications") ? {} : { id: index };
      child.stdin.write(
        `${JSON.stringify({ jsonrpc: "2.0", ...id, method, params: { protocolVersion: "2025-11-25" } })}\n`,
      );
    });
    child.stdin.end();
    const { code, stdout, stderr } = await ended(child);
    expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
    const error = { code: -32601, message: "Holdfast is not installed on this machine" };
    expect(
      stdout
        .trim()
        .split("\n")
        .map((line) => JSON.parse(line)),
    ).toEqual([
      {
        jsonrpc: "2.0",
        id: 0,
        result: {
          protocolVersion: "2025-11-25",
          capabilities: { tools: {} },
          serverInfo: { name: "holdfast", version: "0.0.0" },
        },
      },
      { jsonrpc: "2.0", id: 2, result: { tools: [] } },
      { jsonrpc: "2.0", id: 3, result: { content: [{ type: "text", text: "{}" }] } },
      { jsonrpc: "2.0", id: 4, result: {} },
      { jsonrpc: "2.0", id: 5, error },
    ]);
  });
});
