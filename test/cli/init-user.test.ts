import { spawn } from "node:child_process";
import {
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect, it } from "vitest";
import { claudeServer } from "../../src/hosts/claude/servers.ts";
import { hosts } from "../../src/hosts/hosts.ts";
import { applyUserPlan } from "../../src/hosts/user/apply-user.ts";
import { planUserInstall } from "../../src/hosts/user/plan-user.ts";
import { createProject, ended, type Project, program } from "./program.ts";
import { openTerminal } from "./terminal.ts";

const both = ["init", "--user", "--host", "claude,codex", "--yes"];
const secret = "sk-of-the-person";

/** What the programs have in a home: comments, tabs, CRLF, and a secret. */
const theirs = {
  ".claude/settings.json": '{\n\t// mine\n\t"model": "opus",\n\t"hooks": { "Stop": [] }\n}\n',
  ".claude.json": `{"numStartups":7,"primaryApiKey":"${secret}","mcpServers":{},"projects":{"/a":{}}}`,
  ".codex/hooks.json": '{\r\n  "hooks": {}\r\n}\r\n',
  ".codex/config.toml": 'model = "o" # mine\n\n[mcp_servers.db]\ncommand = "db"\n',
};

function inHome(project: Project, path: string): string {
  return join(project.home, path);
}

function fill(project: Project, files: Readonly<Record<string, string>> = theirs): void {
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(inHome(project, path)), { recursive: true });
    writeFileSync(inHome(project, path), text, { mode: 0o600 });
  }
}

/** Every file in the home, by path. */
function home(project: Project): Record<string, string> {
  const names = readdirSync(project.home, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
  const paths = names.map((entry) => join(entry.parentPath, entry.name));
  return Object.fromEntries(
    paths.sort().map((path) => [path.slice(project.home.length + 1), readFileSync(path, "utf8")]),
  );
}

describe("holdfast init --user", () => {
  it("sets up the agents in the settings of the person, and nothing in the project", async () => {
    const project = createProject();
    const { code, stdout } = await project.holdfast(both);
    expect(`${code}\n${stdout}`).toBe(
      [
        "0",
        "Claude Code and Codex are set up for all your projects",
        "  created  ~/.config/holdfast/hook.cjs",
        "  created  ~/.config/holdfast/mcp.mjs",
        "  created  ~/.claude/settings.json",
        "  created  ~/.claude.json",
        "  created  ~/.codex/hooks.json",
        "  created  ~/.codex/config.toml",
        "  Undo   holdfast init --user --remove",
        "",
      ].join("\n"),
    );
    expect(readdirSync(project.root)).toEqual([]);
    const shim = inHome(project, ".config/holdfast/mcp.mjs");
    expect(JSON.parse(readFileSync(inHome(project, ".claude.json"), "utf8"))).toEqual({
      mcpServers: { holdfast: { ...claudeServer, env: { HOLDFAST_MCP: shim } } },
    });
    expect((await project.holdfast(both)).stdout).toBe(
      "Claude Code and Codex are already set up for every project; nothing was changed\n",
    );
  });

  it.each([
    ["files that the programs wrote", theirs],
    ["none", {}],
    ["empty ones", { ".claude/settings.json": "", ".claude.json": "{}", ".codex/config.toml": "" }],
  ])("gives back to the byte %s", async (_name, files) => {
    const project = createProject();
    fill(project, files);
    const before = home(project);
    await project.holdfast(both);
    expect(home(project)).not.toEqual(before);
    const kept: Record<string, { original: string | null }> = JSON.parse(
      readFileSync(inHome(project, ".config/holdfast/installed.json"), "utf8"),
    ).files;
    const originals = Object.values(kept).map(({ original }) => Buffer.from(original ?? "", "base64").toString());
    expect(originals.join()).not.toContain(secret);
    for (const path of Object.keys(files)) expect(statSync(inHome(project, path)).mode & 0o777).toBe(0o600);
    expect((await project.holdfast(["init", "--user", "--remove", "--yes"])).code).toBe(0);
    expect(home(project)).toEqual(before);
    expect(existsSync(inHome(project, ".config/holdfast"))).toBe(false);
  });

  it("takes out only what it put in when the programs have changed their files since", async () => {
    const project = createProject();
    fill(project);
    await project.holdfast(both);
    const file = inHome(project, ".claude.json");
    const { mcpServers, ...others } = JSON.parse(readFileSync(file, "utf8"));
    const now = { ...others, numStartups: 8, mcpServers: { ...mcpServers, db: { command: "db" } } };
    writeFileSync(file, JSON.stringify(now, null, 2));
    await project.holdfast(["init", "--user", "--remove", "--yes"]);
    expect(JSON.parse(readFileSync(file, "utf8"))).toEqual({ ...now, mcpServers: { db: { command: "db" } } });
  });

  it("removes one agent and keeps the other working", async () => {
    const project = createProject();
    await project.holdfast(both);
    await project.holdfast(["init", "--user", "--remove", "--host", "codex", "--yes"]);
    expect(Object.keys(home(project))).toEqual([
      ".claude.json",
      ".claude/settings.json",
      ".config/holdfast/hook.cjs",
      ".config/holdfast/installed.json",
      ".config/holdfast/mcp.mjs",
    ]);
  });

  it("brings older entries of its own up to date", async () => {
    const project = createProject();
    await project.holdfast(both);
    const file = inHome(project, ".claude/settings.json");
    const current = readFileSync(file, "utf8");
    writeFileSync(file, current.replaceAll('"timeout": 10', '"timeout": 60'));
    writeFileSync(inHome(project, ".config/holdfast/installed.json"), '{ "format": 1, "files": {} }');
    await project.holdfast(both);
    expect(readFileSync(file, "utf8")).toBe(current);
    await project.holdfast(["init", "--user", "--remove", "--yes"]);
    expect(home(project)).toEqual({});
  });

  it("leaves a broken file alone and changes nothing", async () => {
    const project = createProject();
    fill(project, { ...theirs, ".claude.json": '{ "mcpServers": 7 }' });
    const before = home(project);
    const { code, stderr } = await project.holdfast(both);
    expect(code).toBe(1);
    expect(stderr).toContain('refused: ~/.claude.json, line 1, column 17: "mcpServers" is not an object');
    expect(home(project)).toEqual(before);
  });

  it("follows no link out of the home", async () => {
    const project = createProject();
    writeFileSync(join(project.root, "config.json"), "{}");
    symlinkSync(join(project.root, "config.json"), inHome(project, ".claude.json"));
    expect((await project.holdfast(both)).code).toBe(3);
    expect(readFileSync(join(project.root, "config.json"), "utf8")).toBe("{}");
  });

  it("removes the folders that it made, and no others", async () => {
    const project = createProject();
    mkdirSync(inHome(project, ".claude"));
    await project.holdfast(both);
    await project.holdfast(["init", "--user", "--remove", "--yes"]);
    expect(readdirSync(project.home)).toEqual([".claude"]);
    mkdirSync(inHome(project, ".config"));
    await project.holdfast(both);
    await project.holdfast(["init", "--user", "--remove", "--yes"]);
    expect(readdirSync(project.home).sort()).toEqual([".claude", ".config"]);
  });

  it("names only the agents that a removal is about", async () => {
    const project = createProject();
    const remove = ["init", "--user", "--remove", "--yes"];
    await project.holdfast(["init", "--user", "--host", "claude", "--yes"]);
    expect((await project.json([...remove, "--dry-run"])).value.hosts).toEqual(["claude"]);
    expect((await project.holdfast(remove)).stdout).toMatch(/^Claude Code is no longer set up for all your projects\n/);
    expect((await project.holdfast(remove)).stdout).toBe(
      "Holdfast is not set up for every project; nothing was changed\n",
    );
  });

  it("asks first, and shows with --dry-run what would change", async () => {
    const project = createProject();
    const words = ["init", "--user", "--host", "claude"];
    expect((await project.json(words)).value.error.code).toBe("confirmation-needed");
    expect((await project.json([...words, "--dry-run"])).value.files).toHaveLength(4);
    expect(home(project)).toEqual({});
  });

  it("is refused to the copy of a project, which others may change", async () => {
    const project = createProject();
    const copy = join(project.root, "node_modules/holdfast");
    const original = join(dirname(program), "../..");
    for (const part of ["dist/bin", "package.json"])
      cpSync(join(original, part), join(copy, part), { recursive: true });
    const options = { cwd: project.root, env: project.env };
    const child = spawn(process.execPath, [join(copy, "dist/bin/holdfast.js"), ...both], options);
    expect(await ended(child)).toMatchObject({
      code: 2,
      stderr: expect.stringContaining("npm install --global holdfast, then: holdfast init --user"),
    });
    expect(home(project)).toEqual({});
  });
});

describe("the hook of a user", () => {
  const start = (project: Project, env: Readonly<Record<string, string>>) => {
    const words = [inHome(project, ".config/holdfast/hook.cjs"), "--version"];
    const child = spawn(process.execPath, words, { cwd: project.root, env: { ...project.env, ...env } });
    child.stdin.end();
    return ended(child);
  };

  it("starts the Holdfast that set it up, without any PATH, and never the project's", async () => {
    const project = createProject();
    await project.bundled(both);
    project.write("node_modules/holdfast/package.json", '{\n  "name": "holdfast"\n}');
    project.write("node_modules/holdfast/dist/bin/hook.cjs", 'console.log("hostile")');
    expect(await start(project, { PATH: "" })).toMatchObject({ code: 0, stdout: expect.stringMatching(/^\d+\.\d+/) });
  });

  it("starts the one on the PATH once that is gone, and is silent without any", async () => {
    const project = createProject();
    await project.bundled(both);
    const shim = inHome(project, ".config/holdfast/hook.cjs");
    const text = readFileSync(shim, "utf8").replace(/join\("[^"]*", program\)/, 'join("/gone", program)');
    writeFileSync(shim, text);
    expect(await start(project, { PATH: "" })).toMatchObject({ code: 0, stdout: "" });
    const bin = join(project.home, "bin");
    mkdirSync(bin);
    symlinkSync(program, join(bin, "holdfast"));
    expect((await start(project, { PATH: bin })).stdout).toMatch(/^\d+\.\d+/);
  });
});

describe("an agent program that writes its settings meanwhile", () => {
  it("loses nothing of what it wrote while the question waited", async () => {
    const project = createProject();
    fill(project);
    const terminal = openTerminal(project, ["init", "--user", "--host", "claude"]);
    await terminal.until(/\[y\/N\] $/);
    fill(project, { ".claude.json": '{"numStartups":8}' });
    terminal.type("y\r");
    const { code, text } = await terminal.ended();
    expect([code, text]).toEqual([0, expect.stringContaining("~/.claude.json")]);
    const settings = readFileSync(inHome(project, ".claude.json"), "utf8");
    expect(JSON.parse(settings)).toMatchObject({ numStartups: 8, mcpServers: { holdfast: {} } });
  });

  it("is in the way before anything is written, not half-way", () => {
    const project = createProject();
    fill(project);
    const place = { home: project.home, folder: inHome(project, ".config/holdfast"), installation: "/opt/holdfast" };
    const plan = planUserInstall(place, [hosts.claude]);
    fill(project, { ".claude.json": '{"numStartups":8}' });
    const before = home(project);
    expect(() => applyUserPlan(place, plan)).toThrow(/another program has just changed it; try again/);
    expect(home(project)).toEqual(before);
  });
});
