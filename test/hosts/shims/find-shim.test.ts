import { execFileSync } from "node:child_process";
import { mkdirSync, symlinkSync, truncateSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { claudeServer, claudeServers } from "../../../src/hosts/claude/servers.ts";
import { createProject, type Project } from "../../cli/program.ts";

/** What the server in `.mcp.json` starts when Claude Code runs it in a folder. */
function startedIn(project: Project, folder: string, env: Readonly<Record<string, string>> = {}): string {
  const cwd = join(project.root, folder);
  mkdirSync(cwd, { recursive: true });
  const { command, args } = claudeServer;
  const options = { cwd, env: { ...project.env, ...env }, encoding: "utf8", timeout: 20_000 } as const;
  return execFileSync(command, args, options);
}

function addShim(project: Project, folder: string): void {
  project.write(join(folder, ".holdfast/mcp.mjs"), `console.log(${JSON.stringify(folder)});\n`);
}

function setUp(project: Project, folder: string, entry: object = claudeServer): void {
  addShim(project, folder);
  project.write(join(folder, ".mcp.json"), JSON.stringify({ mcpServers: { holdfast: entry } }));
}

describe("the server of a project", () => {
  it.each([".", "deep/inside"])("starts from %s", (folder) => {
    const project = createProject();
    setUp(project, ".");
    expect(startedIn(project, folder)).toBe(".\n");
  });

  it("starts with what a person may have added to its entry", () => {
    const project = createProject();
    setUp(project, ".", { type: "stdio", ...claudeServer, env: { A: "1" }, timeout: 5_000 });
    expect(startedIn(project, "deep")).toBe(".\n");
  });

  it("starts that of the inner one of two projects", () => {
    const project = createProject();
    for (const folder of [".", "inner"]) setUp(project, folder);
    expect(startedIn(project, "inner/deep")).toBe("inner\n");
  });

  it("starts nothing that belongs to a project above, if its own shim is missing", () => {
    const project = createProject();
    setUp(project, ".");
    project.write("inner/.mcp.json", JSON.stringify({ mcpServers: { holdfast: claudeServer } }));
    expect(startedIn(project, "inner")).toBe("");
  });

  it("starts nothing where no project is set up", () => {
    const project = createProject();
    addShim(project, ".");
    addShim(project, "undefined");
    expect(startedIn(project, ".")).toBe("");
  });

  it("starts the file that its environment names, and nothing of the project", () => {
    const project = createProject();
    setUp(project, ".");
    addShim(project, "../home");
    expect(startedIn(project, ".", { HOLDFAST_MCP: join(project.home, ".holdfast/mcp.mjs") })).toBe("../home\n");
  });
});

/** Claude Code ignores such an entry and takes the one above; the person has agreed to that one. */
const rejected: [string, unknown][] = [
  ["no servers", {}],
  ["another server", { mcpServers: { other: claudeServer } }],
  ["the entry in another place", { holdfast: claudeServer }],
  ["another command", { mcpServers: { holdfast: { ...claudeServer, command: 5 } } }],
  ["nested words", { mcpServers: { holdfast: { ...claudeServer, args: ["-e", [claudeServer.args[1]], "mcp"] } } }],
  ["another type", { mcpServers: { holdfast: { ...claudeServer, type: "no" } } }],
  ["a number in its environment", { mcpServers: { holdfast: { ...claudeServer, env: { A: 1 } } } }],
  ["a text as its environment", { mcpServers: { holdfast: { ...claudeServer, env: "A" } } }],
  ["a text as its timeout", { mcpServers: { holdfast: { ...claudeServer, timeout: "1" } } }],
  ["an unknown field", { mcpServers: { holdfast: { ...claudeServer, headers: 1 } } }],
];

describe("a clone inside a project, which the person has not agreed to", () => {
  it("does not start its shim as the server of the project", () => {
    const project = createProject();
    setUp(project, ".");
    addShim(project, "clone");
    expect(startedIn(project, "clone")).toBe(".\n");
  });

  it.each(rejected)("does not start its shim with %s in its .mcp.json", (_name, servers) => {
    const project = createProject();
    setUp(project, ".");
    addShim(project, "clone");
    project.write("clone/.mcp.json", JSON.stringify(servers));
    expect(startedIn(project, "clone")).toBe(".\n");
  });
});

const blocking = {
  "a pipe": (path: string) => execFileSync("sh", ["-c", 'mkfifo "$0"', path]),
  "a link to an endless device": (path: string) => symlinkSync("/dev/zero", path),
  "more than a gigabyte": (path: string) => {
    writeFileSync(path, "");
    // Sparse: it takes no room on the disk.
    truncateSync(path, 1_500_000_000);
  },
} as const;

it.skipIf(process.platform === "win32").each(Object.keys(blocking) as (keyof typeof blocking)[])(
  "a clone with %s as its .mcp.json neither holds up the server nor takes its memory",
  (name) => {
    const project = createProject();
    setUp(project, ".");
    project.write(".holdfast/mcp.mjs", "console.log(process.resourceUsage().maxRSS < 400_000);\n");
    mkdirSync(join(project.root, "clone"));
    blocking[name](join(project.root, "clone/.mcp.json"));
    expect(startedIn(project, "clone")).toBe("true\n");
  },
);

it("an entry of an older version is upgraded, and removed", () => {
  const older =
    '{\n  "mcpServers": {\n    "holdfast": {\n      "command": "node",\n      "args": [".holdfast/mcp.mjs"]\n    }\n  }\n}\n';
  const upgraded = claudeServers.putIn(older);
  expect(upgraded.ok && JSON.parse(upgraded.text)).toEqual({ mcpServers: { holdfast: claudeServer } });
  expect(claudeServers.takeOut(older, null)).toEqual({ ok: true, text: null });
  expect(upgraded.ok && claudeServers.takeOut(upgraded.text, null)).toEqual({ ok: true, text: null });
});
