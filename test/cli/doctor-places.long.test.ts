import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { packageVersion } from "../package-version.ts";
import { doctor, withProgram } from "./doctor-findings.ts";
import { type Calling, createProject, type Project } from "./program.ts";

const note = {
  status: "note",
  message: "Claude Code runs a project's hooks only at its root; the server tells of a live run",
  next: "to have hooks in every folder: holdfast init --user",
};

async function setUp(): Promise<{ project: Project; calling: Calling; inside: Calling }> {
  const project = createProject();
  await project.holdfast(["init", "--host", "claude", "--yes"]);
  const cwd = join(project.root, "deep/inside");
  mkdirSync(cwd, { recursive: true });
  const calling = withProgram(project);
  return { project, calling, inside: { ...calling, cwd } };
}

async function examine(project: Project, calling: Calling) {
  const { code, value } = await doctor(project, calling);
  const parts: { title: string; findings: { name: string }[] }[] = value.parts;
  const named = (name: string) => parts.flatMap(({ findings }) => findings).find((each) => each.name === name);
  return { code, parts, named };
}

describe("the doctor", () => {
  it("tells at the root what holds in subfolders", async () => {
    const { project, calling } = await setUp();
    const { code, named } = await examine(project, calling);
    expect(code).toBe(0);
    expect(named("subfolders")).toEqual({ name: "subfolders", ...note });
  });

  it("tries the server from a subfolder, and says that no hooks run there", async () => {
    const { project, inside } = await setUp();
    const { code, named } = await examine(project, inside);
    expect(code).toBe(0);
    expect(named("server")).toEqual({ name: "server", status: "well", message: "it starts from this folder" });
    expect(named("this folder")).toEqual({ name: "this folder", ...note });
  });

  it("says of a server that does not start from a subfolder how to fix it", async () => {
    const { project, inside } = await setUp();
    const older = { mcpServers: { holdfast: { command: "node", args: [".holdfast/mcp.mjs"] } } };
    project.write(".mcp.json", JSON.stringify(older));
    const { code, named } = await examine(project, inside);
    expect(code).toBe(1);
    expect(named("server")).toMatchObject({ status: "mend", next: "holdfast init" });
    expect(named("MCP server")).toMatchObject({ status: "mend", message: ".mcp.json has an older version" });
  });

  it("knows the hooks of init --user, which run everywhere, beside those of the project", async () => {
    const { project, calling, inside } = await setUp();
    await project.bundled(["init", "--user", "--host", "claude", "--yes"]);
    const { code, parts, named } = await examine(project, inside);
    expect(code).toBe(0);
    expect(named("this folder")).toMatchObject({ status: "well", message: "here, Claude Code runs your own hooks" });
    expect(parts.find(({ title }) => title.startsWith("Every project"))).toEqual({
      title: "Every project of yours: Claude Code",
      findings: [
        { name: "hooks", status: "well", message: "~/.claude/settings.json" },
        { name: "MCP server", status: "well", message: "~/.claude.json" },
        { name: "shims", status: "well", message: `they start Holdfast ${packageVersion}` },
      ],
    });
    expect((await examine(project, calling)).named("subfolders")).toMatchObject({ status: "well" });
  });

  it("has nothing to fix in a project that is set up by init --user alone", async () => {
    const project = createProject();
    const calling = withProgram(project);
    await project.bundled(["init", "--user", "--host", "claude,codex", "--yes"]);
    const { code, parts } = await examine(project, calling);
    expect(code).toBe(0);
    expect(parts.map(({ title }) => title)).toEqual(["Every project of yours: Claude Code, Codex", "Here"]);
  });

  it("finds what is out of date or missing in the settings of the person", async () => {
    const project = createProject();
    const calling = withProgram(project);
    await project.bundled(["init", "--user", "--host", "claude", "--yes"]);
    const settings = join(project.home, ".claude/settings.json");
    writeFileSync(settings, readFileSync(settings, "utf8").replaceAll('"timeout": 10', '"timeout": 60'));
    writeFileSync(join(project.home, ".claude.json"), "{}");
    const { code, parts } = await examine(project, calling);
    expect(code).toBe(1);
    expect(parts[0]?.findings.slice(0, 2)).toEqual([
      {
        name: "hooks",
        status: "mend",
        message: "~/.claude/settings.json has an older version",
        next: "holdfast init --user",
      },
      { name: "MCP server", status: "mend", message: "missing in ~/.claude.json", next: "holdfast init --user" },
    ]);
  });
});
