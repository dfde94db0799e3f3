import { cpSync, mkdirSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { createProject, type Project, program } from "../cli/program.ts";
import { openClaude } from "./claude.ts";
import { claudeText, claudeToolNames } from "./claude-request.ts";
import { openClaudeTerminal } from "./claude-terminal.ts";
import { call, expectRestored, installedProject, startPlannedModel } from "./continuity.ts";
import { claudeVersions } from "./programs.ts";

type Way = "project" | "user" | "plugin";

interface Installed {
  readonly project: Project;
  readonly pluginDir?: string;
  readonly env: Readonly<Record<string, string>>;
}

/** Everything that a person may have set up, and what they have answered about the server of the project. */
async function install(ways: readonly Way[], answer: "approved" | "declined"): Promise<Installed> {
  const project = ways.includes("project") ? await installedProject("claude") : createProject();
  const list = answer === "approved" ? "enabledMcpjsonServers" : "disabledMcpjsonServers";
  project.write(".claude/settings.local.json", JSON.stringify({ [list]: ["holdfast"] }));
  if (ways.includes("user")) await project.bundled(["init", "--user", "--host", "claude", "--yes"]);
  const bin = join(project.home, "bin");
  mkdirSync(bin);
  symlinkSync(program, join(bin, "holdfast"));
  const env = { PATH: `${bin}:${project.env.PATH}` };
  if (!ways.includes("plugin")) return { project, env };
  const pluginDir = join(project.home, "plugins/holdfast");
  cpSync("plugin", pluginDir, { recursive: true });
  return { project, env, pluginDir };
}

const all: readonly Way[] = ["project", "user", "plugin"];
const ofPlugin = "plugin:holdfast:holdfast";

describe.each([claudeVersions.newest, claudeVersions.pinned])("Claude Code %s sees one set of tools", (version) => {
  it.each([
    [["project", "plugin"], "approved", "holdfast"],
    [["project", "plugin"], "declined", ofPlugin],
    [["user", "plugin"], "approved", "holdfast"],
    [["project", "user"], "declined", "holdfast"],
    [all, "approved", "holdfast"],
    [all, "declined", "holdfast"],
    [["plugin"], "approved", ofPlugin],
  ] as const)("from %j, where the project's server is %s", async (ways, answer, server) => {
    const installed = await install(ways, answer);
    const model = await startPlannedModel();
    const session = await openClaude({ ...installed, model, version });
    const { events } = await session.prompt("Hello");
    expect(events.find(({ subtype }) => subtype === "init")).toMatchObject({ mcp_servers: [{ name: server }] });
    // The servers may not be connected before the second prompt. The newer version names most tools in a text.
    await session.prompt("And now?");
    const request = model.asked().at(-1);
    const shown = request === undefined ? "" : `${claudeToolNames(request)} ${claudeText(request)}`;
    const prefix = `mcp__${server.replaceAll(":", "_")}__`;
    expect(new Set(shown.match(/\bmcp__\w+__workflow_status\b/g))).toEqual(new Set([`${prefix}workflow_status`]));
  });
});

it("with hooks of the project, the person and the plugin, the handoff comes once", async () => {
  const { project, ...installed } = await install(all, "approved");
  const { value } = await project.json(["start", "feature", "Paint the boat"]);
  const model = await startPlannedModel();
  model.plan(call("workflow_status", { run_id: value.runId }));
  const version = claudeVersions.newest;
  const session = await openClaude({ project, ...installed, model, version, allowedTools: ["mcp__holdfast"] });
  for (const text of ["Where were we?", "Go on", "And on", "/compact"]) await session.prompt(text);
  model.asked();
  await session.prompt("What now?");
  await session.close();
  expectRestored(model.asked()[0], [value.runId, "Paint the boat"]);
  expect(project.journal().match(/"compaction-began"/g)).toHaveLength(1);
});

it("the person sees one server beside the plugin", async () => {
  const { project, env, pluginDir = "" } = await install(["project", "plugin"], "approved");
  const model = await startPlannedModel();
  const claude = await openClaudeTerminal({ project, model, env, rows: 30, words: ["--plugin-dir", pluginDir] });
  await claude.say("/mcp");
  const screen = await claude.waitFor(/✔ holdfast {3}\d+ tools/);
  expect(screen.slice(screen.indexOf("   Manage MCP servers")).replace(/\(.*/, "(…)")).toMatchInlineSnapshot(`
    "   Manage MCP servers
       1 server

         Project MCPs (…)
       ❯ ✔ holdfast   12 tools

       https://code.claude.com/docs/en/mcp for help
       ↑/↓ to navigate · Enter to confirm · Esc to cancel"
  `);
});
