import { execFileSync } from "node:child_process";
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { beforeAll, describe, expect, it } from "vitest";
import { filesBehind } from "../../scripts/files-behind.ts";
import { packageVersion } from "../package-version.ts";
import { type Machine, machineWith, plain, withTokenizer } from "./installed.ts";
import { nodeVersions } from "./nodes.ts";
import { uses } from "./uses.ts";

const workflow = `
name: two-steps
description: Two steps
steps:
  - { id: plan, type: action, instructions: "Plan {run.summary}" }
  - { id: ship, type: action, instructions: "Ship what was planned: {outputs.plan}" }
`;

beforeAll(() => compile({ module: "nodenext" }));

it("an install brings zod and yaml, and no other package", () => {
  const packages = readdirSync(join(plain, "node_modules")).filter((name) => !name.startsWith("."));
  expect(packages).toEqual(["holdfast", "yaml", "zod"]);
});

it("the context manager imports no module of Node, so that it can run in browsers", () => {
  const files = filesBehind(
    ["index.js", "adapters/index.js"].map((file) => join(plain, "node_modules/holdfast/dist/context", file)),
  );
  const ofNode = /\b(?:from|import)\s*\(?"[^."][^"]*"|\bprocess\.\w+|\brequire\(/g;
  expect([...files].flatMap((file) => readFileSync(file, "utf8").match(ofNode) ?? [])).toEqual([]);
});

describe.each(["nodenext", "bundler"])("with moduleResolution %s", (moduleResolution) => {
  it("a program that uses every entry compiles", () => {
    const module = moduleResolution === "nodenext" ? "nodenext" : "esnext";
    compile({ module, moduleResolution, noEmit: true });
  });
});

describe.each(nodeVersions)("on Node %s", (version) => {
  it("the command tells its version and the built-in workflows", async () => {
    const { run } = await machineWith(version);
    expect(await run("node", ["--version"])).toMatchObject({ stdout: `v${version}\n` });
    expect(await run("holdfast", ["--version"])).toEqual({ code: 0, stdout: `${packageVersion}\n`, stderr: "" });
    const { code, stdout, stderr } = await run("holdfast", ["list"]);
    expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
    for (const name of ["feature", "bugfix", "planning", "release"]) expect(stdout).toContain(name);
  });

  it("a run goes from its start to its end", async () => {
    const { run } = await runOf(version);
    const first = await run("holdfast", ["advance", "--output", "the plan", "--json"]);
    expect(first).toMatchObject({ code: 0, stderr: "" });
    expect(first.stdout).toContain("Ship what was planned: the plan");
    const last = await run("holdfast", ["advance", "--output", "shipped", "--json"]);
    expect(last).toMatchObject({ code: 0, stderr: "" });
    expect(JSON.parse(last.stdout)).toMatchObject({ status: "complete" });
  });

  it("the MCP server introduces itself and lists its tools, also through the plugin", async () => {
    const machine = await machineWith(version);
    const plugin = join(plain, "node_modules/holdfast/plugin/mcp.mjs");
    for (const [command, words] of [
      ["holdfast", ["mcp"]],
      ["node", [plugin]],
    ] as const) {
      const [greeting, tools] = await greet(machine, command, words);
      expect(greeting.serverInfo).toEqual({ name: "holdfast", version: packageVersion });
      expect(tools.tools.map(({ name }: { readonly name: string }) => name)).toContain("workflow_advance");
    }
  });

  it("a hook tells a session of its run, also through the plugin", async () => {
    const { run, work } = await runOf(version);
    const input = JSON.stringify({ session_id: "s1", cwd: work, source: "compact" });
    const plugin = join(plain, "node_modules/holdfast/plugin/hook.cjs");
    for (const [command, words] of [
      ["holdfast", ["hook"]],
      ["node", [plugin]],
    ] as const) {
      const { code, stdout } = await run(command, [...words, "--host", "claude", "SessionStart"], input);
      expect(code).toBe(0);
      expect(JSON.parse(stdout).hookSpecificOutput.additionalContext).toContain("step 1/2 plan");
    }
  });

  it("every entry of the library can be imported and used", async () => {
    const { run } = await machineWith(version);
    const { code, stdout, stderr } = await run("node", [join(withTokenizer, "uses.js")]);
    expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
    expect(JSON.parse(stdout)).toEqual({
      template: "two",
      decision: null,
      started: false,
      checks: 3,
      event: false,
      ended: "complete",
      later: "running",
      tokens: true,
      messages: 1,
      promise: "a run never written reads as empty",
      ours: true,
    });
  });
});

/** A machine with a git project in which a run of two steps has started. */
async function runOf(version: string): Promise<Machine> {
  const machine = await machineWith(version);
  await machine.run("git", ["init", "--quiet"]);
  writeFileSync(join(machine.work, "flow.yaml"), workflow);
  const started = await machine.run("holdfast", ["start", "flow.yaml", "--summary", "a thing", "--session", "s1"]);
  expect(started).toMatchObject({ code: 0, stderr: "" });
  expect(started.stdout).toContain("Plan a thing");
  return machine;
}

/** The results of `initialize` and `tools/list`. */
async function greet({ begin }: Machine, command: string, words: readonly string[]) {
  const child = begin(command, words);
  const client = { protocolVersion: "2025-11-25", capabilities: {}, clientInfo: { name: "test", version: "1" } };
  const send = (message: object) => child.stdin.write(`${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`);
  send({ id: 1, method: "initialize", params: client });
  const results = [];
  for await (const line of createInterface({ input: child.stdout })) {
    results.push(JSON.parse(line).result);
    if (results.length === 2) break;
    send({ method: "notifications/initialized" });
    send({ id: 2, method: "tools/list" });
  }
  child.stdin.end();
  return results;
}

/** Compiles the program beside the installed package, with the types of Node left out and those of all packages checked. */
function compile(options: object): void {
  const compilerOptions = {
    target: "es2023",
    lib: ["es2023", "dom"],
    types: [],
    strict: true,
    exactOptionalPropertyTypes: true,
  };
  writeFileSync(join(withTokenizer, "uses.ts"), uses);
  writeFileSync(
    join(withTokenizer, "tsconfig.json"),
    JSON.stringify({ compilerOptions: { ...compilerOptions, skipLibCheck: false, ...options }, files: ["uses.ts"] }),
  );
  try {
    execFileSync(process.execPath, ["node_modules/typescript/bin/tsc", "-p", withTokenizer], { encoding: "utf8" });
  } catch (error) {
    throw error instanceof Error && "stdout" in error ? new Error(String(error.stdout)) : error;
  }
}
