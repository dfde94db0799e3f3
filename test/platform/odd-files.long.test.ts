import { execFileSync, spawn } from "node:child_process";
import { lstatSync, readdirSync } from "node:fs";
import { dirname, join } from "node:path";
import { beforeAll, describe, expect, it } from "vitest";
import { createProject, type Ended, ended, type Project, program } from "../cli/program.ts";
import { seed, times } from "../dose.ts";
import { copyOf } from "../hooks/run-project.ts";
import { canary, createOddThings } from "./odd-files.ts";

const workflow = `
name: walk
description: A plan and a build
required_reading: ["@docs/guide.md"]
steps:
  - { id: plan, type: action, instructions: Plan }
  - { id: build, type: action, instructions: "Build {outputs.plan}" }
`;

let pattern: Project;
let names: Readonly<Record<string, string>>;

beforeAll(async () => {
  pattern = createProject();
  pattern.write("workflows/walk.yaml", workflow);
  pattern.write(".holdfast/workflows/other.yaml", workflow.replace("walk", "other"));
  pattern.write(".holdfast/config.yaml", "hostname: false\n");
  pattern.write("docs/guide.md", "The guide\n");
  pattern.write("CLAUDE.local.md", "# Notes\n");
  execFileSync("git", ["init", "--quiet"], { cwd: pattern.root });
  execFileSync("git", ["add", "docs"], { cwd: pattern.root });
  await pattern.holdfast(["init", "--host", "claude", "--yes"]);
  await pattern.holdfast(["start", "workflows/walk.yaml", "--summary", "A walk"], { env });
  await pattern.holdfast(["advance", "--output", "A plan"], { env });
  await hook(pattern, "SessionStart");
  const only = (folder: string, shape: RegExp) =>
    readdirSync(join(pattern.root, folder), { recursive: true, encoding: "utf8" }).find((name) => shape.test(name)) ??
    "";
  names = {
    "<run>": only(".holdfast/runs", /^walk-[^/]*$/),
    "<session>": only(".holdfast/sessions", /^[0-9a-f]{32}\.jsonl$/),
    "<card>": only("untracked/workflow-state", /state-[^/]*\.json$/),
  };
});

const session = "s-odd";
const env = { HOLDFAST_SESSION: session };

/** Runs a program with so little memory that it cannot read what it should not. It is killed when it hangs. */
async function run(project: Project, words: readonly string[], input = "", file = program): Promise<Ended> {
  const line = 'ulimit -d 700000; exec "$@"';
  const child = spawn("/bin/sh", ["-c", line, "sh", process.execPath, "--max-old-space-size=96", file, ...words], {
    cwd: project.root,
    env: { ...project.env, ...env },
    timeout: 60_000,
    killSignal: "SIGKILL",
  });
  child.stdin.on("error", () => {});
  child.stdin.end(input);
  return ended(child);
}

function hook(project: Project, event: string): Promise<Ended> {
  const said = { cwd: project.root, session_id: session, hook_event_name: event, source: "compact", prompt: "go on" };
  const words = ["--host", "claude", "--via", "project", event];
  return run(project, words, JSON.stringify(said), join(dirname(program), "hook.cjs"));
}

function statusLine(project: Project): Promise<Ended> {
  return run(project, ["statusline"], JSON.stringify({ session_id: session, cwd: project.root }));
}

function firstCall(project: Project): Promise<Ended> {
  const greeting = { protocolVersion: "2025-11-25", capabilities: {}, clientInfo: { name: "test", version: "1" } };
  const messages = [
    { id: 1, method: "initialize", params: greeting },
    { method: "notifications/initialized" },
    { id: 2, method: "tools/call", params: { name: "workflow_status", arguments: {} } },
  ];
  const lines = messages.map((message) => `${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`);
  return run(project, ["mcp"], lines.join(""));
}

const faces = [(project: Project) => hook(project, "UserPromptSubmit"), statusLine, firstCall];

const init = ["init", "--host", "claude", "--dry-run"];
const start = ["start", "feature", "More", "--new"];

/** A file, a command that reads it, and what that names when it cannot. Null where the file can be done without. */
const files: readonly (readonly [path: string, words: readonly string[], named: string | null])[] = [
  [".holdfast", ["status"], ".holdfast"],
  [".holdfast/config.yaml", init, ".holdfast/config.yaml"],
  [".holdfast/cache", ["status"], null],
  [".holdfast/cache/config.json", ["status"], null],
  [".holdfast/.gitignore", start, ".holdfast/.gitignore"],
  [".holdfast/workflows", ["lint"], null],
  [".holdfast/workflows/other.yaml", ["lint"], ".holdfast/workflows/other.yaml"],
  ["workflows/walk.yaml", ["lint", "workflows/walk.yaml"], "workflows/walk.yaml"],
  ["workflows/walk.yaml", ["advance", "--output", "Built"], null],
  [".holdfast/installed", init, null],
  [".holdfast/installed/record.json", init, ".holdfast/installed/record.json"],
  [".holdfast/runs", ["status"], ".holdfast/runs"],
  [".holdfast/runs/<run>", ["status"], "<run>"],
  [".holdfast/runs/<run>/journal.jsonl", ["status"], "<run>"],
  [".holdfast/runs/<run>/snapshot.json", ["status"], null],
  [".holdfast/sessions", ["status"], null],
  [".holdfast/sessions/<session>", ["status"], null],
  [".mcp.json", init, ".mcp.json"],
  [".claude/settings.json", init, ".claude/settings.json"],
  ["untracked/workflow-state/<card>", ["advance", "--output", "Built"], null],
  ["CLAUDE.local.md", ["status"], null],
  ["docs/guide.md", ["status"], null],
  ["TODO.md", ["status"], null],
  [".git", ["status"], null],
  [".git/HEAD", ["status"], null],
];

/** Each odd thing replaces one in this many files; the seed decides which. */
const oneIn = times({ quick: 3, long: 3, soak: 1 });

function filled(text: string): string {
  return text.replace(/<\w+>/, (name) => names[name] ?? name);
}

describe.skipIf(process.platform !== "linux")("a file of a project that is something else", () => {
  const odd = process.platform === "linux" ? createOddThings() : { names: [], put: () => {} };

  it.each(odd.names)("blocks nothing, fills no memory and shows nothing of the user: %s", async (name) => {
    const turn = odd.names.indexOf(name);
    for (const [index, [path, words, named]] of files.entries()) {
      if ((index + turn + seed) % oneIn !== 0) continue;
      const project = copyOf(pattern);
      odd.put(name, join(project.root, filled(path)));
      // Another face for each of the odd things that take the place of this file.
      const face = faces[(index + Math.floor(turn / oneIn)) % faces.length] ?? statusLine;
      const called = await Promise.all([hook(project, "SessionStart"), face(project)]);
      const command = await run(project, words.map(filled));
      const text = [...called, command].map(({ stdout, stderr }) => stdout + stderr).join("");
      const told = `${path}, seed ${seed}: ${words.join(" ")}: ${text}`;
      const codes = called.map(({ code }) => code);
      expect.soft(codes, told).toEqual([0, 0]);
      expect.soft(text, told).not.toContain(canary);
      expect.soft(text, told).not.toMatch(/unexpected error|heap out of memory|RangeError/);
      expect.soft([0, 1, 2, 3], told).toContain(command.code);
      // A folder is nothing odd in the place of one.
      if (named !== null && !(name === "a folder" && lstatSync(join(pattern.root, filled(path))).isDirectory())) {
        const [line] = (command.stderr || command.stdout).split("\n");
        expect.soft(line, told).toContain(filled(named));
      }
    }
  });
});
