import { existsSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { createProject, type Project } from "./program.ts";

const plugin = ".opencode/plugins/holdfast.js";
const words = ["--host", "opencode", "--yes"];

async function init(project: Project, ...more: readonly string[]): Promise<string> {
  const { code, stdout, stderr } = await project.holdfast(["init", ...words, ...more]);
  return `${code}\n${stdout}${stderr}`;
}

function namesIn(project: Project): string[] {
  return readdirSync(project.root, { recursive: true, encoding: "utf8" }).toSorted();
}

it("init gives opencode a plugin, the server and the commands, and takes all of it back with its folders", async () => {
  const project = createProject();
  const before = namesIn(project);
  const said = await init(project);
  expect(said).toContain("0\nopencode is set up here\n");
  expect(said).toContain("start opencode here and say: start the feature workflow");
  expect(said.split("\n").filter((line) => /^ {2}created {2}(?!\.holdfast)/.test(line))).toEqual([
    `  created  ${plugin}`,
    "  created  opencode.json",
    ...["start", "status", "advance", "prime-context"].map(
      (name) => `  created  .opencode/commands/holdfast-${name}.md`,
    ),
  ]);
  expect(JSON.parse(project.read("opencode.json"))).toEqual({
    $schema: "https://opencode.ai/config.json",
    mcp: { holdfast: { type: "local", command: ["node", "-e", expect.stringContaining(".holdfast/mcp.mjs"), "mcp"] } },
  });
  expect(await init(project)).toContain("already set up");
  expect(await init(project, "--remove")).toMatch(/^0\n/);
  expect(namesIn(project)).toEqual(before);
});

it("init edits the settings under the name that they have, and gives them back byte for byte", async () => {
  const project = createProject();
  const mine = '{\r\n\t// mine\r\n\t"mcp": { "db": { "type": "local", "command": ["db"] } },\r\n}\r\n';
  project.write("opencode.jsonc", mine);
  project.write(".opencode/commands/mine.md", "Mine\n");
  await init(project);
  expect(existsSync(join(project.root, "opencode.json"))).toBe(false);
  expect(project.read("opencode.jsonc")).toMatch(/\/\/ mine[\s\S]*"db"[\s\S]*"holdfast"/);
  // A person has edited it since: only what was put in is taken out.
  project.write("opencode.jsonc", project.read("opencode.jsonc").replace("// mine", "// still mine"));
  await init(project, "--remove");
  expect(project.read("opencode.jsonc")).toBe(mine.replace("// mine", "// still mine"));
  expect(namesIn(project)).toEqual([".opencode", ".opencode/commands", ".opencode/commands/mine.md", "opencode.jsonc"]);
});

it("init renews an older plugin of its own, and leaves files of others alone", async () => {
  const project = createProject();
  project.write(plugin, '// An older one. Made by "holdfast init"; commit it.\n');
  project.write(".opencode/commands/holdfast-start.md", "My own start\n");
  expect(await init(project)).toContain(
    "note: .opencode/commands/holdfast-start.md is not from Holdfast; it was not changed",
  );
  expect(project.read(plugin)).toContain("export const Holdfast");
  await init(project, "--remove");
  expect(namesIn(project).filter((name) => name.endsWith(".md") || name.endsWith(".js"))).toEqual([
    ".opencode/commands/holdfast-start.md",
  ]);
});
