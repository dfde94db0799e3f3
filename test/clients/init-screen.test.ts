import { execFileSync } from "node:child_process";
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { createProject, type Project, program } from "../cli/program.ts";
import { openClaudeTerminal } from "./claude-terminal.ts";
import { call, installedProject, startPlannedModel } from "./continuity.ts";
import { openTerminal } from "./terminal.ts";

const question = "Do you want to proceed?";
const start = call("workflow_start", { workflow: "feature", request: "Add a dark mode" });

/** A project that was set up again, with what is said here. */
async function withExtras(...words: readonly string[]): Promise<Project> {
  const project = await installedProject("claude");
  const { code } = await project.holdfast(["init", "--host", "claude", "--yes", ...words]);
  expect(code).toBe(0);
  return project;
}

it("init says in one screen what it will write, what for, and how to undo it", async () => {
  const project = createProject();
  mkdirSync(join(project.home, ".claude"));
  execFileSync("git", ["init", "--quiet"], { cwd: project.root });
  const command = [process.execPath, program, "init"];
  const terminal = await openTerminal({ cwd: project.root, env: project.env, command });
  await terminal.waitFor(/Which agents/);
  await terminal.press("Enter");
  await terminal.waitFor(/What else/);
  await terminal.press("Enter");
  const screen = await terminal.waitFor(/Go ahead\?/);
  expect(screen.replaceAll(project.root, "/project")).toBe(
    [
      "│",
      "◇  Which agents do you want to set up in",
      "│  /project?",
      "│  Claude Code",
      "│",
      "◇  What else?",
      "│  Tool permission, Status line, Hidden cards, .gitignore lines",
      "",
      "Holdfast will write these files:",
      "  .holdfast/hook.cjs           starts the hooks",
      "  .holdfast/hook.mjs           the same as a module",
      "  .holdfast/mcp.mjs            starts the server and the status line",
      "  .claude/settings.json        hooks that put the agent back on its run",
      "  .mcp.json                    the server with the workflow tools",
      "  .claude/settings.local.json  the tool permission, the status line",
      "  .holdfast/config.yaml        keeps state cards in .holdfast/cards",
      "  .gitignore                   lines for your own settings and state cards",
      "Commit them, but not .claude/settings.local.json: it is yours alone.",
      "To undo it at any time: holdfast init --remove",
      "│",
      "◆  Go ahead?",
      "│  ● Yes / ○ No",
      "└",
    ].join("\n"),
  );
  await terminal.press("Enter");
  expect(await terminal.ended()).toBe(0);
  expect(await terminal.screen()).toMatch(/Undo {3}holdfast init --remove\n {2}Next {3}start Claude Code here/);
});

it.each([80, 60])("init says what it will write for all agents in one screen of %i columns", async (columns) => {
  const project = createProject();
  execFileSync("git", ["init", "--quiet"], { cwd: project.root });
  for (const folder of [".claude", ".codex", ".copilot", ".config/opencode"])
    mkdirSync(join(project.home, folder), { recursive: true });
  const command = [process.execPath, program, "init"];
  const terminal = await openTerminal({ cwd: project.root, env: project.env, command, columns });
  for (const question of [/Which agents[\s\S]*Enter: confirm/, /What else[\s\S]*Enter: confirm/]) {
    await terminal.waitFor(question);
    await terminal.press("Enter");
  }
  const screen = await terminal.waitFor(/Go ahead\?[\s\S]*Yes/);
  expect(screen).toContain("Holdfast will write these files:\n");
  expect(screen).toMatch(/ {2}Copilot CLI {2}\.github\/hooks\/holdfast\.json, \.mcp\.json\n/);
  expect(screen.replace(/\s+/g, " ")).toContain("opencode.json, .opencode/commands/ (4 files)");
  expect(screen.replace(/\s+/g, " ")).toContain("holdfast init --dry-run --host claude,codex,copilot,opencode");
  await terminal.press("C-c");
  expect(await terminal.ended()).toBe(1);
  expect(await terminal.screen()).toContain("nothing was changed");
});

describe("in the real Claude Code after init", () => {
  it("the status line shows the run below a person's own, and the tools are used without a question", async () => {
    const project = await withExtras("--permission", "--no-status-line");
    mkdirSync(join(project.home, ".claude"), { recursive: true });
    project.write("../home/.claude/settings.json", '{ "statusLine": { "type": "command", "command": "echo My own" } }');
    await project.holdfast(["init", "--host", "claude", "--yes"]);
    const model = await startPlannedModel();
    model.plan(start, { text: "The run is started." });
    const claude = await openClaudeTerminal({ project, model, words: ["--permission-mode", "default"] });
    await claude.say("Start the feature workflow");
    const screen = await claude.waitFor(/● The run is started\.[\s\S]*feature · step/);
    expect(screen).toMatch(/\n {2}My own\n {2}feature · step 1\/9 understand\n/);
    expect(await claude.history()).not.toContain(question);
  });

  it("asks for permission where it was not granted", async () => {
    const project = await withExtras();
    const model = await startPlannedModel();
    model.plan(start);
    const claude = await openClaudeTerminal({ project, model, words: ["--permission-mode", "default"] });
    await claude.say("Start the feature workflow");
    expect(await claude.waitFor(/Do you want to proceed\?/)).toContain("holdfast");
  });

  it("one line says what goes on, after /clear and after --continue", async () => {
    const project = await withExtras("--permission");
    const model = await startPlannedModel();
    model.plan(start, { text: "The run is started." });
    const claude = await openClaudeTerminal({ project, model });
    expect(await claude.history()).not.toContain("Holdfast:");
    await claude.say("Start the feature workflow");
    await claude.waitFor(/The run is started\./);
    await claude.say("/clear");
    const cleared = await claude.waitFor(/Holdfast: /);
    expect(linesWith(cleared, "Holdfast:")).toEqual([
      "SessionStart:clear says: Holdfast: feature, step 1/9 understand",
    ]);
    await claude.say("Hello");
    await claude.waitFor(/Understood\./);
    await claude.close();

    const again = await openClaudeTerminal({ project, model, words: ["--continue"] });
    const resumed = await again.waitFor(/SessionStart:resume says/);
    expect(linesWith(resumed, "resume says")).toEqual([
      "SessionStart:resume says: Holdfast: feature, step 1/9 understand",
    ]);
  });

  it("says nothing where no run is live", async () => {
    const project = await withExtras();
    const model = await startPlannedModel();
    const claude = await openClaudeTerminal({ project, model });
    await claude.say("Hello");
    await claude.waitFor(/Understood\./);
    await claude.say("/clear");
    await claude.waitFor(/❯ \/clear/);
    model.plan({ text: "Hello again." });
    await claude.say("Hello");
    await claude.waitFor(/Hello again\./);
    expect(linesWith(await claude.history(), "Holdfast")).toEqual([]);
  });
});

function linesWith(screen: string, word: string): string[] {
  return screen
    .split("\n")
    .filter((line) => line.includes(word))
    .map((line) => line.replace(/^[\s⎿]+/, ""));
}
