import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect, it } from "vitest";
import { all, gitProject, init, installLine, local, localSettings, own, shown, texts } from "./extras-project.ts";
import { createProject, type Project } from "./program.ts";

describe("the extras of holdfast init", () => {
  it("says how to move cards that are there already", async () => {
    const project = createProject();
    await project.json(["start", "feature", "Add a dark mode"]);
    const { stdout } = await project.holdfast(["init", "--host", "claude", "--yes", "--hidden-cards"]);
    expect(stdout).toContain("  Note   move your existing cards: mv untracked/workflow-state .holdfast/cards\n");
  });

  it("leaves settings alone that say where cards are, and appends to others", async () => {
    const project = createProject();
    project.write(".holdfast/config.yaml", "cards: off\n");
    await init(project, "--hidden-cards");
    expect(project.read(".holdfast/config.yaml")).toBe("cards: off\n");
    project.write(".holdfast/config.yaml", "hostname: off");
    await init(project, "--hidden-cards");
    expect(project.read(".holdfast/config.yaml")).toMatch(/^hostname: off\ncards: \{ folder: \.holdfast\/cards \} #/);
    await project.json(["init", "--remove", "--yes"]);
    expect(project.read(".holdfast/config.yaml")).toBe("hostname: off");
  });
});

describe("the status line of holdfast init", () => {
  it.each([
    [
      "ours fails",
      (project: Project) => writeFileSync(join(project.root, ".holdfast/mcp.mjs"), "process.exit(3)"),
      own,
    ],
    ["ours is gone", (project: Project) => rmSync(join(project.root, ".holdfast/mcp.mjs")), own],
    ["theirs fails, too", () => {}, `${own}; exit 3`],
  ])("theirs is shown if %s", async (_what, breakIt, command) => {
    const project = createProject();
    project.write(local, JSON.stringify({ statusLine: { type: "command", command: command.replace(" # done", "") } }));
    await init(project);
    breakIt(project);
    expect(shown(project, { session_id: "s1" })).toBe(`it's {"session_id":"s1"}\n`);
  });

  it("ours is shown if theirs has a syntax error", async () => {
    const project = createProject();
    project.write(local, JSON.stringify({ statusLine: { type: "command", command: "echo 'open" } }));
    await init(project);
    installLine(project);
    expect(shown(project, { session_id: "s1" })).toContain("ours statusline s1\n");
  });

  it("stands below the one in the settings of the user, and follows it", async () => {
    const project = createProject();
    const file = join(project.home, ".claude/settings.json");
    const write = (command: string) => {
      mkdirSync(dirname(file), { recursive: true });
      writeFileSync(file, JSON.stringify({ statusLine: { type: "command", command } }));
    };
    write("echo first");
    await init(project);
    installLine(project);
    expect(shown(project, { session_id: "s1" })).toBe("first\nours statusline s1\n");
    write("echo second");
    await init(project);
    expect(shown(project, { session_id: "s1" })).toBe("second\nours statusline s1\n");
  });
});

describe("holdfast init --remove gives back what the extras changed", () => {
  it.each(texts)("also after someone has edited the files: %s", async (_what, files) => {
    const project = gitProject();
    for (const [path, text] of Object.entries(files)) project.write(path, text);
    await init(project, ...all);
    project.write(".gitignore", `${project.read(".gitignore")}later\n`);
    project.write(".holdfast/config.yaml", `${project.read(".holdfast/config.yaml")}hostname: off\n`);
    const settings = localSettings({ ...project, read: (path) => project.read(path).replace("// mine", "") });
    project.write(local, JSON.stringify({ ...settings, model: "opus" }));
    await project.json(["init", "--remove", "--yes"]);
    expect(project.read(".gitignore")).not.toMatch(/Holdfast|untracked|settings\.local/);
    expect(project.read(".gitignore")).toContain("later\n");
    expect(project.read(".holdfast/config.yaml")).not.toContain("cards");
    expect(project.read(".holdfast/config.yaml")).toContain("hostname: off\n");
    const hadPermission = files[local]?.includes("mcp__holdfast") === true;
    expect(project.read(local).includes("mcp__holdfast")).toBe(hadPermission);
    expect(project.read(local)).not.toContain("statusLine");
    expect(project.read(local)).toContain("opus");
  });
});
