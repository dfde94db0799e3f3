import { spawn } from "node:child_process";
import { chmodSync, mkdirSync, rmSync, symlinkSync, truncateSync } from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect, it } from "vitest";
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

  it("calls the user's where a link on the path leads to it", async () => {
    const project = prepare();
    installIn(project, "../prefix/lib/node_modules/holdfast", "user's");
    const bin = join(project.root, "../prefix/bin");
    mkdirSync(bin);
    chmodSync(join(bin, "../lib/node_modules/holdfast/dist/bin/holdfast.js"), 0o755);
    symlinkSync("../lib/node_modules/holdfast/dist/bin/holdfast.js", join(bin, "holdfast"));
    expect(await call(project, hook, `relative:/nowhere:${bin}`)).toEqual(said("user's"));
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

  it("is small", () => {
    expect(shims["hook.cjs"].split("\n").length).toBeLessThan(110);
    expect(Object.values(shims).join("")).not.toMatch(/\/home|\/Users|[A-Z]:\\/);
  });
});

describe("of a repository that brings its own Holdfast, a shim runs", () => {
  it.each(Object.entries(brings).slice(0, 2))("nothing that is tracked %s ", (_, bring) => expectNothingTracked(bring));

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

  it("what is built there, if it is Holdfast's own repository", async () => {
    const project = prepare();
    git(project, "init", "-q");
    project.write("package.json", '{\n  "name": "holdfast"\n}\n');
    git(project, "add", "--all");
    project.write("dist/bin/hook.cjs", standIn("built"));
    expect(await call(project, hook)).toEqual(said("built"));
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
