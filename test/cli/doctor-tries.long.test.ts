import { execFileSync } from "node:child_process";
import { cpSync, readdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { packageVersion } from "../package-version.ts";
import {
  doctor,
  examine,
  type Finding,
  hasRun,
  install,
  installWithHook,
  mend,
  note,
  setUp,
  well,
  withProgram,
} from "./doctor-findings.ts";
import { createProject, twoSteps } from "./program.ts";

describe("where all is well, the doctor", () => {
  it("says so, with what it tried and how long that took", async () => {
    const project = await setUp();
    const { code, stdout, stderr } = await project.bundled(["doctor"], withProgram(project));
    expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
    const lines = stdout
      .replaceAll(/\d+ ms/g, "N ms")
      .replace(/Node \d\S*/, "Node N")
      .split("\n");
    expect(lines).toEqual([
      `Holdfast ${packageVersion} · Node N · ${project.root}`,
      "Claude Code",
      "  ✓ hooks         7, each once (.claude/settings.json)",
      "  ✓ MCP server    .mcp.json",
      `  ✓ shims         they start Holdfast ${packageVersion}`,
      "  ✓ PreCompact    the installed hook restores the sample run",
      "  ✓ SessionStart  the installed hook restores the sample run",
      "  ✓ latency       with a live run: SessionStart N ms, UserPromptSubmit N ms, PostToolUse N ms, " +
        "PreCompact N ms, PostCompact N ms, Stop N ms, SessionEnd N ms; Node alone N ms",
      "  · subfolders    Claude Code runs a project's hooks only at its root; the server tells of a live run",
      "                  Next   to have hooks in every folder: holdfast init --user",
      "Here",
      "  · run           no run is live, so none would be restored",
      "                  Next   holdfast start <workflow>",
      "  ✓ tracked       no tracked workflow",
      "no problems found",
      "",
    ]);
  });

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

  it("leaves runs, cards, sessions and everything else as they are", async () => {
    const project = await setUp();
    const calling = withProgram(project);
    project.write("flow.yaml", twoSteps);
    await project.holdfast(["start", "flow.yaml", "--session", "s1"]);
    await project.bundled(["hook", "--host", "claude", "SessionStart"], {
      input: JSON.stringify({ session_id: "s1", cwd: project.root, source: "startup" }),
    });
    const before = contentsOf(project.root);
    expect((await project.bundled(["doctor"], calling)).code).toBe(0);
    expect(contentsOf(project.root)).toEqual(before);
  });
});

describe("the doctor finds, and says how to mend:", () => {
  it("the repository brings a Holdfast along, which neither the shims nor the doctor run", async () => {
    const project = await setUp();
    const own = install(project, "node_modules/holdfast", packageVersion);
    install(project, ".", packageVersion);
    for (const words of [
      ["init", "-q"],
      ["add", "--all", "--force"],
    ])
      execFileSync("git", words, { cwd: project.root });
    const findings = await examine(project, "Claude Code", withProgram(project));
    const why = "because git tracks it, or it belongs to another user";
    const next = "remove it from the repository, and install Holdfast with npm";
    const skipped = (folder: string) => note("shims", `they do not start ${folder}/dist/bin/hook.cjs, ${why}`, next);
    expect(findings).toContainEqual(well("shims", `they start Holdfast ${packageVersion}`));
    expect(findings).toContainEqual(skipped(own));
    expect(findings).toContainEqual(skipped(project.root));
    expect(findings).toContainEqual(well("SessionStart", "the installed hook restores the sample run"));
    expect(hasRun(project)).toBe(false);
  });

  it("an installed hook answers with what its host would drop, or not at all", async () => {
    const next = "see .holdfast/hooks.log, and run it by hand: holdfast hook --help";
    const [dropped, silent, failing] = await Promise.all(
      ['process.stdout.write(\'{"additionalContext":"x"}\');', "", "process.exitCode = 2;"].map(async (hook) =>
        installWithHook(await setUp(), `${hook}\n`)(),
      ),
    );
    expect(dropped?.slice(-3, -1)).toEqual([
      mend("PreCompact", "the host would ignore its output: it takes plain text, not JSON", next),
      mend("SessionStart", "the host would ignore its output: it has the unknown field additionalContext", next),
    ]);
    expect(silent).toContainEqual(mend("SessionStart", "the installed hook does not mention the sample run", next));
    expect(failing).toContainEqual(mend("SessionStart", "the hook exited with code 2", next));
  });
});

/** Every file below a folder with what it holds and when it was written. */
function contentsOf(folder: string): readonly (readonly [string, number, string])[] {
  return readdirSync(folder, { recursive: true, encoding: "utf8" })
    .toSorted()
    .map((name) => join(folder, name))
    .filter((file) => statSync(file).isFile())
    .map((file) => [file, statSync(file).mtimeMs, readFileSync(file, "utf8")] as const);
}
