import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { claudeServer } from "../../src/hosts/claude/servers.ts";
import { both, filesIn, init, settings } from "./init-project.ts";
import { createProject } from "./program.ts";
import { openTerminal } from "./terminal.ts";

describe("holdfast init", () => {
  it("sets up what is asked for and says what is next", async () => {
    const project = createProject();
    project.write(".claude/settings.json", settings);
    expect(await init(project, ...both)).toBe(
      [
        "0",
        "Claude Code and Codex are set up here",
        "  created  .holdfast/hook.cjs",
        "  created  .holdfast/hook.mjs",
        "  created  .holdfast/mcp.mjs",
        "  updated  .claude/settings.json",
        "  created  .mcp.json",
        "  created  .codex/hooks.json",
        "  created  .codex/config.toml",
        "  created  .claude/settings.local.json",
        "  Kept   the previous files are in .holdfast/installed/",
        "  Note   state cards appear in untracked/workflow-state/; --hidden-cards keeps them in .holdfast/",
        "  Undo   holdfast init --remove",
        "  Next   start Claude Code here and say: start the feature workflow",
        "         start Codex here, trust the project and its hooks, and say: start the feature workflow",
        "",
      ].join("\n"),
    );
    expect(project.read(".holdfast/.gitignore")).toBe(
      "/runs/\n/sessions/\n/cache/\n/installed/\n/hooks.log\n/.gitignore\n",
    );
    expect(project.read(".claude/settings.json").startsWith('{\n  // mine\n  "model": "opus",\n  "hooks": {\n')).toBe(
      true,
    );
    expect(project.read(".holdfast/installed/originals/.claude/settings.json")).toBe(settings);
  });

  it("changes nothing the second time", async () => {
    const project = createProject();
    project.write(".claude/settings.json", settings);
    await init(project, ...both);
    const before = filesIn(project);
    const time = statSync(join(project.root, ".claude/settings.json")).mtimeMs;
    expect(await init(project, ...both)).toBe(
      "0\nClaude Code and Codex are already set up here; nothing was changed\n",
    );
    expect(filesIn(project)).toEqual(before);
    expect(statSync(join(project.root, ".claude/settings.json")).mtimeMs).toBe(time);
  });

  it("leaves in git's eyes only what is to be committed", async () => {
    const project = createProject();
    const git = (...words: string[]) => execFileSync("git", words, { cwd: project.root, encoding: "utf8" });
    git("init", "--quiet");
    await init(project, ...both);
    expect(git("status", "--porcelain", "--untracked-files=all").trim().split("\n")).toEqual(
      [
        "?? .codex/config.toml",
        "?? .codex/hooks.json",
        "?? .gitignore",
        "?? .holdfast/hook.cjs",
        "?? .holdfast/hook.mjs",
        "?? .holdfast/mcp.mjs",
        "?? .mcp.json",
        "?? .claude/settings.json",
      ].toSorted(),
    );
  });

  it("writes nothing that belongs to this machine", async () => {
    const project = createProject();
    await init(project, ...both);
    const { ".holdfast/installed/record.json": _record, ...committed } = filesIn(project);
    for (const text of Object.values(committed)) expect(text).not.toContain(project.root);
  });

  it("shows with --dry-run what would change, and writes nothing", async () => {
    const project = createProject();
    project.write(".mcp.json", '{\n  "mcpServers": {}\n}\n');
    const { code, stdout } = await project.holdfast(["init", "--host", "claude", "--dry-run"]);
    expect(code).toBe(0);
    expect(stdout).toContain("--- /dev/null\n+++ b/.claude/settings.json\n@@ -0,0 +1,");
    expect(stdout).toContain(
      [
        "--- a/.mcp.json",
        "+++ b/.mcp.json",
        "@@ -1,3 +1,12 @@",
        " {",
        '-  "mcpServers": {}',
        '+  "mcpServers": {',
        '+    "holdfast": {',
        '+      "command": "node",',
        '+      "args": [',
        '+        "-e",',
        `+        "${claudeServer.args[1]}",`,
        '+        "mcp"',
        "+      ]",
        "+    }",
        "+  }",
        " }",
        "",
      ].join("\n"),
    );
    expect(Object.keys(filesIn(project))).toEqual([".mcp.json"]);
    const { value } = await project.json(["init", "--host", "claude", "--dry-run"]);
    expect(value).toMatchObject({ hosts: ["claude"], remove: false, dryRun: true, notes: [] });
    expect(value.files.map((file: { path: string; change: string }) => [file.path, file.change])).toEqual([
      [".holdfast/hook.cjs", "created"],
      [".holdfast/hook.mjs", "created"],
      [".holdfast/mcp.mjs", "created"],
      [".claude/settings.json", "created"],
      [".mcp.json", "updated"],
      [".claude/settings.local.json", "created"],
    ]);
  });

  it("sets up the hosts that it finds: in the home, in the project, on the path", async () => {
    const project = createProject();
    const path = { env: { PATH: join(project.home, "bin") } };
    const found = async () => (await project.json(["init", "--dry-run"], path)).value.hosts;
    expect(await project.json(["init", "--dry-run"], path)).toEqual({
      code: 2,
      value: {
        error: {
          code: "usage",
          message: "no agent program was found here",
          next: "name one: holdfast init --host claude",
        },
      },
    });
    mkdirSync(join(project.home, ".codex"));
    expect(await found()).toEqual(["codex"]);
    project.write(".claude/settings.json", settings);
    expect(await found()).toEqual(["claude", "codex"]);
    rmSync(join(project.root, ".claude"), { recursive: true });
    project.write("../home/bin/claude", "");
    expect(await found()).toEqual(["claude", "codex"]);
  });

  describe("at a terminal", () => {
    const [space, down, enter] = [" ", "\u001b[B", "\r"];

    it("lets a person choose from a list, where what was found is selected", async () => {
      const project = createProject();
      mkdirSync(join(project.home, ".claude"));
      const terminal = openTerminal(project, ["init"], { columns: 160, env: { NO_COLOR: "1" } });
      const shown = await terminal.until(/Codex/);
      expect(shown).toContain(`Which agents do you want to set up in ${project.root}?`);
      expect(shown).toMatch(/◼ Claude Code/);
      expect(shown).toMatch(/◻ Codex/);
      terminal.type(`${space}${down}${space}${enter}`);
      await terminal.until(/Run git init here\? \[y\/N\] $/);
      terminal.type(enter);
      await terminal.until(/What else\?[\s\S]*Hidden cards/);
      terminal.type(enter);
      await terminal.until(/Go ahead\?/);
      terminal.type(enter);
      const { code, text } = await terminal.ended();
      expect(code).toBe(0);
      expect(existsSync(join(project.root, ".git"))).toBe(false);
      expect(text).toContain("Codex is set up here\n");
      expect(existsSync(join(project.root, ".mcp.json"))).toBe(false);
      expect(existsSync(join(project.root, ".codex/hooks.json"))).toBe(true);
    });
  });

  it("does nothing unasked where nobody can answer, and says how", async () => {
    const project = createProject();
    expect(await init(project, "--host", "claude")).toBe(
      `1\nrefused: this sets up Claude Code in ${project.root} (confirmation-needed)\n  Next   run it again with --yes\n`,
    );
    expect(await project.json(["init", "--host", "codex"], { env: { CLAUDECODE: "1" } })).toMatchObject({
      code: 1,
      value: { error: { code: "confirmation-needed" } },
    });
    expect(filesIn(project)).toEqual({});
    expect(await project.json(["init", "--host", "codex", "--yes"], { env: { CLAUDECODE: "1" } })).toMatchObject({
      code: 0,
    });
  });

  it("follows no link, wherever it leads", async () => {
    const project = createProject();
    const link = join(project.root, ".claude/settings.json");
    mkdirSync(join(project.root, ".claude"));
    for (const target of [
      project.write("shared/settings.json", settings),
      project.write("../outside.json", settings),
    ]) {
      rmSync(link, { force: true });
      symlinkSync(target, link);
      expect(await init(project, "--host", "claude", "--yes")).toBe(
        [
          "3",
          "failed: cannot write .claude/settings.json: it is a symbolic link, which is not followed in a project; nothing was changed (file-unwritable)",
          "  Next   remove the link, then try again",
          "",
        ].join("\n"),
      );
      expect(readFileSync(target, "utf8")).toBe(settings);
      expect(existsSync(join(project.root, ".holdfast/hook.mjs"))).toBe(false);
    }
  });

  it("refuses the home folder, whose settings are for every project", async () => {
    const project = createProject();
    const { code, stderr } = await project.holdfast(["init", ...both], { cwd: project.home });
    expect(code).toBe(2);
    expect(stderr).toContain("usage: this is your home folder, not a project\n");
  });
});

describe("holdfast init --remove", () => {
  it("gives back the original bytes, and leaves no file and no folder behind", async () => {
    const project = createProject();
    const mine = {
      ".claude/settings.json": '{ "hooks": { "Stop": [ ] } }',
      ".mcp.json": '{\r\n\t"mcpServers": {\r\n\t\t"db": { "command": "db" }\r\n\t}\r\n}',
      ".codex/config.toml": "a = 1",
    };
    for (const [path, text] of Object.entries(mine)) project.write(path, text);
    await init(project, ...both);
    expect(await init(project, "--remove", "--yes")).toBe(
      [
        "0",
        "Claude Code and Codex are no longer set up here",
        "  deleted   .holdfast/hook.cjs",
        "  deleted   .holdfast/hook.mjs",
        "  deleted   .holdfast/mcp.mjs",
        "  restored  .claude/settings.json",
        "  restored  .mcp.json",
        "  deleted   .codex/hooks.json",
        "  restored  .codex/config.toml",
        "  deleted   .claude/settings.local.json",
        "  Next   commit the changes if the files were committed before",
        "",
      ].join("\n"),
    );
    expect(filesIn(project)).toEqual(mine);
    expect(readdirSync(project.root).toSorted()).toEqual([".claude", ".codex", ".mcp.json"]);
    expect(await init(project, "--remove", "--yes")).toBe(
      "0\nClaude Code, Codex, Copilot CLI and opencode are not set up here; nothing was changed\n",
    );
  });

  it("takes out only what was put in where someone has edited since, and says so", async () => {
    const project = createProject();
    project.write(".claude/settings.json", settings);
    await init(project, "--host", "claude", "--yes");
    project.write(".claude/settings.json", project.read(".claude/settings.json").replace("opus", "sonnet"));
    const said = await init(project, "--remove", "--yes");
    expect(said).toContain("  cleaned  .claude/settings.json\n");
    expect(said).toContain("  note: .claude/settings.json was edited since; only what was put in is taken out\n");
    expect(filesIn(project)).toEqual({ ".claude/settings.json": settings.replace("opus", "sonnet") });
  });

  it("does not believe a record, nor an original, that came with the repository", async () => {
    const project = createProject();
    await project.holdfast(["init", "--host", "claude", "--yes"]);
    const written = project.read(".mcp.json");
    const record = JSON.parse(project.read(".holdfast/installed/record.json"));
    record.files[".mcp.json"].existed = true;
    project.write(".holdfast/installed/record.json", JSON.stringify(record));
    project.write(".holdfast/installed/originals/.mcp.json", '{ "mcpServers": { "evil": { "command": "evil" } } }');
    for (const words of [
      ["init", "-q"],
      ["add", "--all", "--force"],
    ])
      execFileSync("git", words, { cwd: project.root });
    const dry = await project.json(["init", "--host", "claude", "--remove", "--dry-run"]);
    expect(dry.value.notes).toEqual([expect.stringContaining("came with the repository, so nothing in it is used")]);
    expect(project.read(".mcp.json")).toBe(written);
    await project.holdfast(["init", "--host", "claude", "--remove", "--yes"]);
    expect(existsSync(join(project.root, ".mcp.json"))).toBe(false);
  });

  it("of one host leaves the other, and what both need", async () => {
    const project = createProject();
    await init(project, ...both);
    await init(project, "--remove", "--host", "codex", "--yes");
    expect(Object.keys(filesIn(project))).toEqual([
      ".claude/settings.json",
      ".claude/settings.local.json",
      ".holdfast/.gitignore",
      ".holdfast/hook.cjs",
      ".holdfast/hook.mjs",
      ".holdfast/installed/record.json",
      ".holdfast/mcp.mjs",
      ".mcp.json",
    ]);
    await init(project, "--remove", "--host", "claude", "--yes");
    expect(readdirSync(project.root)).toEqual([]);
  });

  it("leaves runs and workflows alone", async () => {
    const project = createProject();
    project.write(".holdfast/workflows/mine.yaml", "name: mine\n");
    await project.holdfast(["start", "feature"]);
    await init(project, ...both);
    await init(project, "--remove", "--yes");
    expect(readdirSync(join(project.root, ".holdfast")).toSorted()).toEqual([".gitignore", "runs", "workflows"]);
    expect((await project.json(["runs"])).value.runs).toHaveLength(1);
  });
});
