import { existsSync, mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { packageVersion } from "../package-version.ts";
import { doctor } from "./doctor-findings.ts";
import { createProject, type Project, program } from "./program.ts";

const plugin = ".opencode/plugins/holdfast.js";

/** What the doctor finds, with Holdfast on the path. */
async function examine(project: Project): Promise<string[]> {
  const bin = join(project.home, "bin");
  mkdirSync(bin, { recursive: true });
  if (!existsSync(join(bin, "holdfast"))) symlinkSync(program, join(bin, "holdfast"));
  const { value } = await doctor(project, { env: { PATH: `${bin}:${project.env.PATH}` } });
  const part = value.parts.find(({ title }: { title: string }) => title === "opencode");
  const findings: { name: string; status: string; message: string }[] = part?.findings ?? [];
  return findings
    .filter(({ name }) => name !== "latency")
    .map(({ name, status, message }) => `${status} ${name}: ${message}`);
}

it("the doctor examines opencode and runs what its plugin would run", async () => {
  const project = createProject();
  expect(await examine(project)).toEqual([]);
  await project.holdfast(["init", "--host", "opencode", "--yes"]);
  expect(await examine(project)).toEqual([
    `well plugin: ${plugin}`,
    "well MCP server: opencode.json",
    `well shims: they start Holdfast ${packageVersion}`,
    expect.stringMatching(/^well PreCompact: /),
    expect.stringMatching(/^well SessionStart: /),
  ]);
});

it("the doctor neither runs nor trusts a plugin that was changed", async () => {
  const project = createProject();
  await project.holdfast(["init", "--host", "opencode", "--yes"]);
  const trace = join(project.home, "trace");
  writeFileSync(
    join(project.root, plugin),
    `${project.read(plugin)}\nimport { writeFileSync } from "node:fs";\nwriteFileSync(${JSON.stringify(trace)}, "");\n`,
  );
  const found = await examine(project);
  expect(found).toContain(`mend plugin: ${plugin} has an older version`);
  expect(found.filter((line) => /PreCompact|SessionStart/.test(line))).toEqual([]);
  expect(existsSync(trace)).toBe(false);
});
