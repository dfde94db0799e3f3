import { mkdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { parse } from "smol-toml";
import { expect, it } from "vitest";
import * as z from "zod";
import { createProject, type Project } from "../cli/program.ts";
import { openClaude } from "./claude.ts";
import { claudeText, claudeToolResults } from "./claude-request.ts";
import { openClaudeTerminal } from "./claude-terminal.ts";
import { runCodex } from "./codex.ts";
import { startCodexModel } from "./codex-model.ts";
import { codexText, codexToolNames } from "./codex-request.ts";
import { call, expectRestored, installedProject, startPlannedModel } from "./continuity.ts";
import { claudeVersions } from "./programs.ts";

const newest = { version: claudeVersions.newest };

interface Started {
  /** The same project, as seen from a folder below its root. */
  readonly below: Project;
  readonly runId: string;
}

/** A project with a live run, whose server the person has agreed to. */
async function startInside(): Promise<Started> {
  const project = await installedProject("claude");
  project.write(".claude/settings.local.json", '{ "enabledMcpjsonServers": ["holdfast"] }');
  const root = join(project.root, "packages/boat");
  mkdirSync(root, { recursive: true });
  const { value } = await project.json(["start", "feature", "Paint the boat"]);
  return { below: { ...project, root }, runId: value.runId };
}

it("Claude Code in a subfolder is told of the live run by the server, and its tools work", async () => {
  const { below, runId } = await startInside();
  const model = await startPlannedModel();
  model.plan(call("workflow_status", { run_id: runId }));
  const session = await openClaude({ project: below, model, ...newest, allowedTools: ["mcp__holdfast"] });
  const { events } = await session.prompt("Where were we?");
  expect(events.find(({ subtype }) => subtype === "init")).toMatchObject({
    cwd: below.root,
    mcp_servers: [{ name: "holdfast", status: "connected" }],
  });
  const [first, second] = model.asked();
  expect(first === undefined ? "" : claudeText(first)).toContain(
    `When this server started, the run ${runId} was live here, at step 1/`,
  );
  expect(second === undefined ? [] : claudeToolResults(second)).toEqual([
    expect.stringContaining(`"runId":"${runId}"`),
  ]);
});

it("Claude Code in a subfolder shows the server as connected", async () => {
  const { below } = await startInside();
  const model = await startPlannedModel();
  const claude = await openClaudeTerminal({ project: below, model, rows: 30 });
  await claude.say("/mcp");
  const screen = await claude.waitFor(/✔ holdfast {3}\d+ tools/);
  expect(screen.slice(screen.indexOf("   Manage MCP servers")).replace(/\(.*…/, "(…")).toMatchInlineSnapshot(`
    "   Manage MCP servers
       1 server

         Project MCPs (…
       ❯ ✔ holdfast   12 tools

       https://code.claude.com/docs/en/mcp for help
       ↑/↓ to navigate · Enter to confirm · Esc to cancel"
  `);
});

/** A project that is not set up itself; the person has Holdfast for all of their projects. */
async function startForUser(): Promise<Started> {
  const project = createProject();
  const { code, stderr } = await project.bundled(["init", "--user", "--host", "claude", "--yes"]);
  if (code !== 0) throw new Error(stderr);
  const root = join(project.root, "packages/boat");
  mkdirSync(root, { recursive: true });
  const { value } = await project.json(["start", "feature", "Paint the boat"]);
  return { below: { ...project, root }, runId: value.runId };
}

it("with init --user, the handoff reaches Claude Code in a subfolder after a compaction", async () => {
  const { below, runId } = await startForUser();
  const model = await startPlannedModel();
  model.plan(call("workflow_status", { run_id: runId }));
  const session = await openClaude({ project: below, model, ...newest, allowedTools: ["mcp__holdfast"] });
  for (const text of ["Where were we?", "Go on", "And on", "/compact"]) await session.prompt(text);
  model.asked();
  await session.prompt("What now?");
  await session.close();
  expect(model.compactions()).toHaveLength(1);
  expectRestored(model.asked()[0], [runId, "understand", "Paint the boat"]);
});

it("with init --user, Claude Code in a subfolder has the server of the person", async () => {
  const { below } = await startForUser();
  const claude = await openClaudeTerminal({ project: below, model: await startPlannedModel(), rows: 30 });
  await claude.say("/mcp");
  const screen = await claude.waitFor(/✔ holdfast {3}\d+ tools/);
  expect(screen.slice(screen.indexOf("   Manage MCP servers")).replace(/\(.*/, "(…)")).toMatchInlineSnapshot(`
    "   Manage MCP servers
       1 server

         User MCPs (…)
       ❯ ✔ holdfast   12 tools

       https://code.claude.com/docs/en/mcp for help
       ↑/↓ to navigate · Enter to confirm · Esc to cancel"
  `);
});

it("with init --user, Codex runs the hooks and the server of the person in a subfolder", async () => {
  const project = createProject();
  await project.bundled(["init", "--user", "--host", "codex", "--yes"]);
  const config = z
    .object({ mcp_servers: z.object({ holdfast: z.object({ command: z.string(), args: z.array(z.string()) }) }) })
    .parse(parse(readFileSync(join(project.home, ".codex/config.toml"), "utf8")));
  const root = join(project.root, "packages/boat");
  mkdirSync(root, { recursive: true });
  const { value } = await project.json(["start", "feature", "Paint the boat"]);
  const model = await startCodexModel(() => ({ text: "Noted." }));
  const words = ["--dangerously-bypass-hook-trust"];
  await runCodex("Hello", { project: { ...project, root }, model, words, mcpServers: config.mcp_servers });
  expect(model.requests.flatMap(codexToolNames)).toContain("mcp__holdfast__workflow_status");
  expect(model.requests.map(codexText).join()).toContain(`call workflow_status with run_id ${value.runId} first`);
});
