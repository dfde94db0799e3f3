import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, readdirSync } from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect, it } from "vitest";
import { all, gitProject, init, installLine, local, localSettings, own, shown, texts } from "./extras-project.ts";
import { createProject, type Project } from "./program.ts";
import { openTerminal } from "./terminal.ts";

/** Every file of the project outside of git's and npm's folders. */
function filesIn(project: Project): Record<string, string> {
  const names = readdirSync(project.root, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name).slice(project.root.length + 1))
    .filter((name) => !/^(\.git|node_modules)\//.test(name));
  return Object.fromEntries(names.toSorted().map((name) => [name, project.read(name)]));
}

describe("the extras of holdfast init", () => {
  it("--yes takes those that grant no permission and move no files", async () => {
    const project = gitProject();
    expect((await init(project)).extras).toEqual(["status-line", "gitignore"]);
    expect(Object.keys(localSettings(project))).toEqual(["statusLine"]);
    expect(existsSync(join(project.root, ".holdfast/config.yaml"))).toBe(false);
    expect(project.read(".gitignore")).toBe("# Holdfast\n/.claude/settings.local.json\n/untracked/workflow-state/\n");
  });

  it("each can be taken or left by name", async () => {
    const project = gitProject();
    const left = await init(project, "--no-status-line", "--no-gitignore", "--permission");
    expect(left.extras).toEqual(["permission"]);
    expect(localSettings(project)).toEqual({ permissions: { allow: ["mcp__holdfast"] } });
    expect(existsSync(join(project.root, ".gitignore"))).toBe(false);
    expect((await init(project, ...all)).extras).toEqual(["permission", "status-line", "hidden-cards", "gitignore"]);
  });

  it("what was taken before can be left later, and nothing of it stays", async () => {
    const project = gitProject();
    await init(project, ...all);
    await init(project, "--no-permission", "--no-status-line", "--no-hidden-cards", "--no-gitignore");
    expect(localSettings(project)).toEqual({});
    expect(project.read(".gitignore").trim()).toBe("");
    await project.json(["init", "--remove", "--yes"]);
    expect(filesIn(project)).toEqual({});
  });

  it("a second run changes nothing and keeps what was chosen", async () => {
    const project = gitProject();
    await init(project, ...all);
    const before = filesIn(project);
    expect(await init(project)).toMatchObject({ files: [], extras: all.map((flag) => flag.slice(2)) });
    expect(filesIn(project)).toEqual(before);
  });

  it("does not bring back what a person has removed by hand", async () => {
    const project = createProject();
    await init(project, "--permission");
    project.write(local, "{}\n");
    expect((await init(project)).extras).toEqual([]);
    expect(project.read(local)).toBe("{}\n");
  });

  it("is refused together with --user, which would ignore it", async () => {
    const project = createProject();
    const { code, value } = await project.json(["init", "--user", "--host", "claude", "--yes", "--permission"]);
    expect({ code, message: value.error.message }).toEqual({
      code: 2,
      message: "--permission is for one project, not for --user",
    });
  });

  it("shows all of it with --dry-run and writes nothing", async () => {
    const project = gitProject();
    const { stdout } = await project.holdfast(["init", "--host", "claude", "--dry-run", ...all]);
    for (const part of ["+++ b/.gitignore", "+++ b/.holdfast/config.yaml", "mcp__holdfast", "statusline"])
      expect(stdout).toContain(part);
    expect(filesIn(project)).toEqual({});
  });

  it("adds to .gitignore only what git does not ignore yet, and nothing outside of a repository", async () => {
    const project = gitProject();
    project.write(".gitignore", "untracked/\n*.local.json");
    expect((await init(project)).files.map(({ path }: { path: string }) => path)).not.toContain(".gitignore");
    const plain = createProject();
    await init(plain);
    expect(existsSync(join(plain.root, ".gitignore"))).toBe(false);
  });

  it("keeps the cards of runs in .holdfast/cards, where git does not see them", async () => {
    const project = gitProject();
    await init(project, ...all);
    await project.json(["start", "feature", "Add a dark mode"]);
    expect(existsSync(join(project.root, "untracked"))).toBe(false);
    expect(readdirSync(join(project.root, ".holdfast/cards"))).toContain("feature");
    const seen = execFileSync("git", ["status", "--porcelain", "--untracked-files=all"], { cwd: project.root });
    expect(String(seen)).not.toContain("cards");
  });
});

describe("the status line of holdfast init", () => {
  it("stands alone where there is none, and is empty without Holdfast", async () => {
    const project = createProject();
    await init(project);
    expect(shown(project, {}, { PATH: dirname(process.execPath) })).toBe("");
    installLine(project);
    expect(shown(project, { session_id: "s1" })).toBe("ours statusline s1\n");
  });

  it("stands below a person's own, which has its input and its output as before", async () => {
    const project = createProject();
    const mine = JSON.stringify({ statusLine: { type: "command", command: own, padding: 2 } }, null, 2);
    project.write(local, mine);
    await init(project);
    expect(localSettings(project).statusLine.padding).toBe(2);
    installLine(project);
    expect(shown(project, { session_id: "s1" })).toBe(`it's {"session_id":"s1"}\nours statusline s1\n`);
    await project.json(["init", "--remove", "--yes"]);
    expect(project.read(local)).toBe(mine);
  });

  it("hides one of the project only for whoever asks for it, and takes no command of the project over", async () => {
    const project = createProject();
    project.write(".claude/settings.json", JSON.stringify({ statusLine: { type: "command", command: "echo theirs" } }));
    await init(project);
    expect(existsSync(join(project.root, local))).toBe(false);
    await init(project, "--status-line");
    expect(project.read(local)).not.toContain("theirs");
    installLine(project);
    expect(shown(project, { session_id: "s1" })).toBe("ours statusline s1\n");
  });

  it("is not added where a person's own already calls Holdfast", async () => {
    const project = createProject();
    const mine = '{ "statusLine": { "type": "command", "command": "holdfast statusline" } }';
    project.write(local, mine);
    await init(project);
    expect(project.read(local)).toBe(mine);
    await project.json(["init", "--remove", "--yes"]);
    expect(project.read(local)).toBe(mine);
  });
});

describe("holdfast init --remove gives back what the extras changed", () => {
  it.each(texts)("byte for byte: %s", async (_what, files) => {
    const project = gitProject();
    for (const [path, text] of Object.entries(files)) project.write(path, text);
    await init(project, ...all);
    await project.json(["init", "--remove", "--yes"]);
    expect(filesIn(project)).toEqual(files);
  });

  it.each(["# About Holdfast\r\na\r\n# Holdfast\r\nb\r\n", "a\n# Holdfast", "# Holdfast\n"])(
    "with a person's own heading in .gitignore: %j",
    async (text) => {
      const project = gitProject();
      project.write(".gitignore", text);
      await project.json(["init", "--remove", "--host", "claude", "--yes"]);
      expect(project.read(".gitignore")).toBe(text);
      await init(project, "--gitignore");
      expect(project.read(".gitignore")).toMatch(/^# Holdfast\r?\n\/\.claude\/settings\.local\.json\r?\n\/untracked/m);
      const edited = `first\n${project.read(".gitignore")}`;
      await project.json(["init", "--remove", "--yes"]);
      expect(project.read(".gitignore")).toBe(text);
      await init(project, "--gitignore");
      project.write(".gitignore", edited);
      await project.json(["init", "--remove", "--yes"]);
      expect(project.read(".gitignore").trimEnd()).toBe(`first\n${text}`.trimEnd());
    },
  );

  it("names a file that cannot be edited, and changes nothing", async () => {
    const project = createProject();
    project.write(local, '{ "permissions": [] }');
    expect(await project.json(["init", "--host", "claude", "--yes", "--permission"])).toMatchObject({
      code: 1,
      value: { error: { code: "file-invalid", problems: [{ file: local }] } },
    });
    expect(Object.keys(filesIn(project))).toEqual([local]);
  });
});

describe("at a terminal, holdfast init", () => {
  it.each([
    ["the extras", /What else\?/],
    ["the last question", /Go ahead\?/],
  ])("changes nothing after Ctrl-C at %s", async (_what, question) => {
    const project = gitProject();
    mkdirSync(join(project.home, ".claude"));
    const terminal = openTerminal(project, ["init"]);
    await terminal.until(/Codex/);
    terminal.type("\r");
    await terminal.until(/What else\?/);
    if (question.source.startsWith("Go")) terminal.type("\r");
    await terminal.until(question);
    terminal.type("\u0003");
    expect(await terminal.ended()).toMatchObject({ code: 1, text: expect.stringContaining("nothing was changed\n") });
    expect(filesIn(project)).toEqual({});
  });
});
