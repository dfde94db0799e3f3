import { cpSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { packageVersion } from "../package-version.ts";
import { doctor, examine, type Finding, setUp, well, withProgram } from "./doctor-findings.ts";
import { createProject } from "./program.ts";

describe("where all is well, the doctor", () => {
  it("times every hook beside bare Node, in figures too", async () => {
    const project = await setUp();
    const { value } = await doctor(project, withProgram(project));
    const { figures } = value.parts[0].findings.find(({ name }: Finding) => name === "latency");
    expect(Object.keys(figures)).toEqual([
      ...["hookP50", "hookP95", "nodeP50", "nodeP95"],
      ...["SessionStart", "UserPromptSubmit", "PostToolUse", "PreCompact", "PostCompact", "Stop", "SessionEnd"],
    ]);
    expect(Object.values(figures).every((ms) => Number(ms) > 0)).toBe(true);
  });

  it("tries the hooks of Codex through their shell line", async () => {
    const project = await setUp("codex");
    expect(await examine(project, "Codex", withProgram(project))).toEqual([
      well("hooks", "7, each once (.codex/hooks.json)"),
      well("MCP server", ".codex/config.toml"),
      well("shims", `they start Holdfast ${packageVersion}`),
      well("PreCompact", "the installed hook works"),
      well("SessionStart", "the installed hook restores the sample run"),
    ]);
  });

  it("tries the hooks of Copilot CLI, and takes its server for no sign of Claude Code", async () => {
    const project = await setUp("copilot");
    const calling = withProgram(project);
    expect(await examine(project, "Copilot CLI", calling)).toEqual([
      well("hooks", "6, each once (.github/hooks/holdfast.json)"),
      well("MCP server", ".mcp.json"),
      well("shims", `they start Holdfast ${packageVersion}`),
      well("PreCompact", "the installed hook works"),
      well("SessionStart", "the installed hook restores the sample run"),
    ]);
    const { value } = await doctor(project, calling);
    expect(value.parts.map(({ title }: { readonly title: string }) => title)).toEqual(["Copilot CLI", "Here"]);
  });

  it("tries the hooks of a plugin, where that brings them", async () => {
    const project = createProject();
    const root = join(project.home, "plugin");
    cpSync("plugin", root, { recursive: true });
    const installed = { version: 2, plugins: { "holdfast@holdfast": [{ scope: "user", installPath: root }] } };
    project.write("../home/.claude/plugins/installed_plugins.json", JSON.stringify(installed));
    project.write("../home/.claude/settings.json", JSON.stringify({ enabledPlugins: { "holdfast@holdfast": true } }));
    expect(await examine(project, "Claude Code", withProgram(project))).toEqual([
      well("plugin", `version ${packageVersion}`),
      well("hooks", "7, each once (the plugin)"),
      well("shims", `they start Holdfast ${packageVersion}`),
      well("PreCompact", "the installed hook restores the sample run"),
      well("SessionStart", "the installed hook restores the sample run"),
    ]);
  });
});
