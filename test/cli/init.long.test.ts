import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import { chmodSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { both, filesIn, init, settings } from "./init-project.ts";
import { createProject } from "./program.ts";
import { openTerminal } from "./terminal.ts";

describe("holdfast init", () => {
  describe("at a terminal", () => {
    const [space, enter] = [" ", "\r"];

    it.each([
      ["Ctrl-C", "\u0003"],
      ["Esc", "\u001b"],
      ["no selection", " \r"],
    ])("takes %s for a no, and changes nothing", async (_what, keys) => {
      const project = createProject();
      mkdirSync(join(project.home, ".claude"));
      const terminal = openTerminal(project, ["init"]);
      await terminal.until(/Codex/);
      terminal.type(keys);
      expect(await terminal.ended()).toMatchObject({ code: 1, text: expect.stringContaining("nothing was changed\n") });
      expect(filesIn(project)).toEqual({});
    });

    it("offers every agent where none is found", async () => {
      const project = createProject();
      const terminal = openTerminal(project, ["init"], { env: { PATH: "/usr/bin:/bin" } });
      expect(await terminal.until(/Codex/)).not.toContain("◼");
      terminal.type(`${space}${enter}`);
      await terminal.until(/\[y\/N\] $/);
      terminal.type(`y${enter}`);
      await terminal.until(/What else\?[\s\S]*gitignore/);
      terminal.type(enter);
      await terminal.until(/Go ahead\?/);
      terminal.type(enter);
      expect(await terminal.ended()).toMatchObject({
        code: 0,
        text: expect.stringMatching(/created a git repository\n[\s\S]*Claude Code is set up here/),
      });
      expect(existsSync(join(project.root, ".git/HEAD"))).toBe(true);
    });

    it("offers for removal what is set up", async () => {
      const project = createProject();
      await init(project, "--host", "claude", "--yes");
      const terminal = openTerminal(project, ["init", "--remove"]);
      expect(await terminal.until(/Claude Code/)).not.toContain("Codex");
      terminal.type(enter);
      expect((await terminal.ended()).code).toBe(0);
      expect(filesIn(project)).toEqual({});
    });

    it("asks nothing with --host", async () => {
      const project = createProject();
      const { code, text } = await openTerminal(project, ["init", "--host", "codex"]).ended();
      expect({ code, text }).toMatchObject({ code: 0, text: expect.stringMatching(/^Codex is set up here\n/) });
    });
  });

  it("names every file that is broken with its place, and changes none", async () => {
    const project = createProject();
    project.write(".claude/settings.json", '{\n  "model": "opus"\n  "hooks": {}\n}\n');
    project.write(".codex/config.toml", "model = \n");
    const before = filesIn(project);
    expect(await init(project, ...both)).toBe(
      [
        "1",
        "refused: .claude/settings.json, line 3, column 3: comma expected",
        "refused: .codex/config.toml, line 1, column 9: invalid value",
        "  Next   fix it, then run holdfast init again; nothing was changed",
        "",
      ].join("\n"),
    );
    expect(filesIn(project)).toEqual(before);
    project.write(".codex/config.toml", "a = 1\n");
    const { value } = await project.json(["init", ...both]);
    expect(value.error).toEqual({
      code: "file-invalid",
      message: ".claude/settings.json, line 3, column 3: comma expected",
      next: "fix it, then run holdfast init again; nothing was changed",
      problems: [{ file: ".claude/settings.json", line: 3, column: 3, problem: "comma expected" }],
    });
  });

  it("keeps a byte order mark, and the access that others have", async () => {
    const project = createProject();
    const file = project.write(".claude/settings.json", `\ufeff${settings}`);
    chmodSync(file, 0o600);
    await init(project, "--host", "claude", "--yes");
    expect(project.read(".claude/settings.json").startsWith("\ufeff{\n  // mine\n")).toBe(true);
    expect(statSync(file).mode & 0o777).toBe(0o600);
    await init(project, "--remove", "--yes");
    expect(project.read(".claude/settings.json")).toBe(`\ufeff${settings}`);
    expect(statSync(file).mode & 0o777).toBe(0o600);
  });

  it("takes a host out, whatever the settings of the others are links to", async () => {
    const project = createProject();
    await init(project, "--host", "codex", "--yes");
    symlinkSync(project.write("../outside.json", settings), join(project.root, ".mcp.json"));
    expect(await init(project, "--remove", "--host", "codex", "--yes")).toMatch(/^0\n/);
    expect(existsSync(join(project.root, ".codex"))).toBe(false);
    expect(existsSync(join(project.root, ".holdfast/mcp.mjs"))).toBe(false);
  });

  it("keeps and gives back no file through a link in its own record", async () => {
    const project = createProject();
    project.write(".claude/settings.json", settings);
    const secret = project.write("../.mcp.json", "mine");
    mkdirSync(join(project.root, ".holdfast/installed"), { recursive: true });
    const originals = join(project.root, ".holdfast/installed/originals");
    symlinkSync("../../..", originals);
    expect(await init(project, "--host", "claude", "--yes")).toMatch(
      /^3\n.*originals.*symbolic link.*\(state-broken\)/,
    );
    expect(existsSync(join(project.root, "../.claude/settings.json"))).toBe(false);
    expect(project.read(".claude/settings.json")).toBe(settings);

    rmSync(originals);
    mkdirSync(originals);
    symlinkSync(secret, join(originals, ".mcp.json"));
    const own = project.write(".mcp.json", "{}");
    const written = createHash("sha256").update("{}").digest("hex");
    const record = { format: 1, files: { ".mcp.json": { existed: true, written } } };
    project.write(".holdfast/installed/record.json", JSON.stringify(record));
    expect(await init(project, "--remove", "--host", "claude", "--yes")).toMatch(/^3\n.*symbolic link/);
    expect(readFileSync(own, "utf8")).toBe("{}");
  });

  it("works from a folder inside, and in a linked worktree, whose runs stay with the others", async () => {
    const project = createProject();
    const git = (...words: string[]) => execFileSync("git", words, { cwd: project.root });
    git("init", "--quiet");
    git("-c", "user.name=a", "-c", "user.email=a@b", "commit", "--quiet", "--allow-empty", "-m", "first");
    git("worktree", "add", "--quiet", "../linked");
    const inside = join(project.root, "deep/inside");
    mkdirSync(inside, { recursive: true });
    await project.holdfast(["init", ...both], { cwd: inside });
    expect(existsSync(join(project.root, ".holdfast/hook.mjs"))).toBe(true);
    const linked = join(project.root, "../linked");
    await project.holdfast(["init", ...both], { cwd: linked });
    expect(existsSync(join(linked, ".holdfast/hook.mjs"))).toBe(true);
    await project.holdfast(["start", "feature"], { cwd: linked });
    expect(existsSync(join(linked, ".holdfast/runs"))).toBe(false);
    expect(readdirSync(join(project.root, ".holdfast/runs"))).toHaveLength(1);
  });

  it("tells of hooks that would run twice", async () => {
    const project = createProject();
    await init(project, "--host", "claude", "--yes");
    project.write(".claude/settings.local.json", project.read(".claude/settings.json"));
    expect(await init(project, "--host", "claude", "--yes")).toBe(
      [
        "0",
        "Claude Code is already set up here; nothing was changed",
        "  note: .claude/settings.local.json also has Holdfast hooks; remove them there",
        "",
      ].join("\n"),
    );
  });

  it("of two at once, both leave the same files", async () => {
    const project = createProject();
    project.write(".claude/settings.json", settings);
    const ends = await Promise.all([1, 2, 3, 4].map(() => project.holdfast(["init", ...both])));
    expect(ends.map(({ code }) => code)).toEqual([0, 0, 0, 0]);
    expect(await init(project, ...both)).toContain("already set up here");
    await init(project, "--remove", "--yes");
    expect(filesIn(project)).toEqual({ ".claude/settings.json": settings });
  });
});

describe("holdfast init --remove", () => {
  it("works in another clone, which has no record of what was there before", async () => {
    const project = createProject();
    project.write(".claude/settings.json", settings);
    await init(project, ...both);
    rmSync(join(project.root, ".holdfast/installed"), { recursive: true });
    rmSync(join(project.root, ".holdfast/.gitignore"));
    await init(project, "--remove", "--yes");
    expect(filesIn(project)).toEqual({ ".claude/settings.json": settings });
  });

  it("of one of two hosts that share a list of servers leaves that list to the other", async () => {
    for (const [first, second] of [
      ["claude", "copilot"],
      ["copilot", "claude"],
    ]) {
      const project = createProject();
      const mine = { ".github/hooks/holdfast.json": '{ "version": 1 }', ".mcp.json": '{"mcpServers": {}}' };
      for (const [path, text] of Object.entries(mine)) project.write(path, text);
      const said = await init(project, "--host", "claude,copilot", "--yes");
      expect(said).toMatch(/^0\nClaude Code and Copilot CLI are set up here\n/);
      expect(said.match(/\.mcp\.json/g)).toHaveLength(1);
      const listed = project.read(".mcp.json");
      await init(project, "--remove", "--host", `${first}`, "--yes");
      expect(project.read(".mcp.json")).toBe(listed);
      expect(filesIn(project)).toHaveProperty([".holdfast/mcp.mjs"]);
      await init(project, "--remove", "--host", `${second}`, "--yes");
      expect(filesIn(project)).toEqual(mine);
    }
  });

  it("after an update in place still gives back what was there first", async () => {
    const project = createProject();
    project.write(".claude/settings.json", settings);
    await init(project, "--host", "claude", "--yes");
    const older = project.read(".claude/settings.json").replaceAll('"timeout": 10', '"timeout": 60');
    project.write(".claude/settings.json", older);
    project.write(".holdfast/hook.mjs", `${project.read(".holdfast/hook.mjs")}// older\n`);
    expect(await init(project, "--host", "claude", "--yes")).toContain(
      "  updated  .holdfast/hook.mjs\n  updated  .claude/settings.json\n",
    );
    await init(project, "--remove", "--yes");
    expect(filesIn(project)).toEqual({ ".claude/settings.json": settings });
  });

  it("forgets what was there before a file was deleted and made anew", async () => {
    const project = createProject();
    project.write(".claude/settings.json", '{ "hooks": { "Stop": [] } }');
    await init(project, "--host", "claude", "--yes");
    rmSync(join(project.root, ".claude/settings.json"));
    expect(await init(project, "--host", "claude", "--yes")).toContain("  created  .claude/settings.json\n");
    await init(project, "--remove", "--yes");
    expect(readdirSync(project.root)).toEqual([]);
  });

  it("leaves alone what was never set up", async () => {
    const project = createProject();
    const mine = { ".claude/settings.json": '{ "hooks": {} }', ".codex/hooks.json": "{}", ".mcp.json": "{}\n" };
    for (const [path, text] of Object.entries(mine)) project.write(path, text);
    expect(await init(project, "--remove", "--yes")).toContain("are not set up here; nothing was changed\n");
    expect(filesIn(project)).toEqual(mine);
  });
});
