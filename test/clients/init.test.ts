import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, symlinkSync } from "node:fs";
import { delimiter, join } from "node:path";
import { expect, it } from "vitest";
import { createProject, type Project } from "../cli/program.ts";
import { openClaude } from "./claude.ts";
import { startClaudeModel } from "./claude-model.ts";
import { claudeText, claudeToolNames } from "./claude-request.ts";
import type { ClientEvent } from "./client-process.ts";
import { runCodex } from "./codex.ts";
import { startCodexModel } from "./codex-model.ts";
import { codexText, codexToolNames } from "./codex-request.ts";
import { installStandIn } from "./stand-in.ts";

/** A repository in which `holdfast init` was run, and whose server the person has agreed to. */
async function prepare(): Promise<Project> {
  const project = createProject();
  execFileSync("git", ["init", "--quiet"], { cwd: project.root });
  await project.holdfast(["init", "--host", "claude,codex", "--yes"]);
  project.write(".claude/settings.local.json", '{ "enableAllProjectMcpServers": true }');
  return project;
}

/** The path of a machine that has Node and no Holdfast, whatever this one has. */
function pathWithout(project: Project): { PATH: string } {
  const bin = join(project.home, "bin");
  mkdirSync(bin);
  symlinkSync(process.execPath, join(bin, "node"));
  const folders = String(project.env.PATH)
    .split(delimiter)
    .filter((folder) => !existsSync(join(folder, "holdfast")));
  return { PATH: [bin, ...folders].join(delimiter) };
}

interface Talk {
  readonly events: readonly ClientEvent[];
  readonly tools: readonly string[];
  readonly text: string;
}

async function talkToClaude(project: Project, env: Readonly<Record<string, string>> = {}): Promise<Talk> {
  const model = await startClaudeModel(() => ({ text: "Noted." }));
  const session = await openClaude({ project, model, env, words: ["--include-hook-events"] });
  const turns = [await session.prompt("Hello"), await session.prompt("And now?")];
  await session.close();
  return {
    events: turns.flatMap(({ events }) => events),
    tools: model.requests.flatMap(claudeToolNames),
    text: model.requests.map(claudeText).join(),
  };
}

it("Claude Code runs the hooks and the server of a project that was set up", async () => {
  const project = await prepare();
  const { calls } = installStandIn(project, "node_modules/holdfast");
  const { tools, text } = await talkToClaude(project);
  const told = ["SessionStart", "UserPromptSubmit", "Stop", "UserPromptSubmit", "Stop", "SessionEnd"];
  expect(calls().map(({ words }) => words?.join(" "))).toEqual(
    told.map((event) => `--host claude --via project ${event}`),
  );
  expect(tools).toContain("mcp__holdfast__workflow_status");
  expect(text).toContain("The tide is out");
});

it("Claude Code shows no error in a clone on a machine without Holdfast", async () => {
  const project = await prepare();
  const { events, tools } = await talkToClaude(project, pathWithout(project));
  expect(events.find(({ subtype }) => subtype === "init")).toMatchObject({
    mcp_servers: [{ name: "holdfast", status: "connected" }],
  });
  const hooks = events.filter(({ subtype }) => subtype === "hook_response");
  expect(hooks.map(({ hook_event, outcome, output }) => [hook_event, outcome, output])).toEqual([
    ["SessionStart", "success", ""],
    ["UserPromptSubmit", "success", ""],
    ["Stop", "success", ""],
    ["UserPromptSubmit", "success", ""],
    ["Stop", "success", ""],
  ]);
  expect(events.filter(({ subtype }) => subtype === "notification")).toEqual([]);
  expect(tools.filter((name) => name.startsWith("mcp__"))).toEqual([]);
});

it("Codex runs the hooks and the server of a project that was set up, from any folder of it", async () => {
  const project = await prepare();
  const { calls } = installStandIn(project, "node_modules/holdfast");
  mkdirSync(join(project.root, "deep/inside"), { recursive: true });
  const model = await startCodexModel(() => ({ text: "Noted." }));
  const words = ["--dangerously-bypass-hook-trust", "-C", "deep/inside"];
  expect(await runCodex("Hello", { project, model, words })).toMatchObject({ message: "Noted.", failed: false });
  const events = ["SessionStart", "UserPromptSubmit", "Stop", "SessionEnd"];
  expect(calls().map((call) => call.words?.join(" "))).toEqual(
    events.map((event) => `--host codex --via project ${event}`),
  );
  expect(calls()[0]?.input.cwd).toBe(join(project.root, "deep/inside"));
  expect(model.requests.flatMap(codexToolNames)).toContain("mcp__holdfast__workflow_status");
  expect(model.requests.map(codexText).join()).toContain("The tide is out");
});

it("Codex shows no error in a clone on a machine without Holdfast", async () => {
  const project = await prepare();
  const model = await startCodexModel(() => ({ text: "Noted." }));
  const words = ["--dangerously-bypass-hook-trust"];
  const { events } = await runCodex("Hello", { project, model, words, env: pathWithout(project) });
  const said = events.map((event) => JSON.stringify(event)).filter((text) => text.includes('"error"'));
  expect(said.filter((text) => !/bypass-hook-trust|Model metadata/.test(text))).toEqual([]);
});
