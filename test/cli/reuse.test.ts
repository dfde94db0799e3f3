import { existsSync, mkdirSync, readdirSync, readFileSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { loadTemplate } from "../../src/templates/load.ts";
import { createProject, type Project } from "./program.ts";

const ship = `name: ship
extends: feature
description: Ship a feature
change:
  - { after: plan, insert: [{ id: threats, type: action, instructions: Think about threats }] }
`;

function project(files: Readonly<Record<string, string>> = { "ship.yaml": ship }): Project {
  const created = createProject();
  for (const [name, text] of Object.entries(files)) created.write(`.holdfast/workflows/${name}`, text);
  return created;
}

it("template prints one file that loads to the same template", async () => {
  const { holdfast, json } = project();
  const { code, stdout } = await holdfast(["template", "ship"]);
  expect(code).toBe(0);
  const reading = loadTemplate(stdout);
  const { value } = await json(["template", "ship"]);
  expect(value).toMatchObject({ workflow: "ship", origin: "project", file: ".holdfast/workflows/ship.yaml" });
  expect(value.extends).toEqual(["feature"]);
  expect(reading.ok && reading.template).toEqual(value.template);
  expect(stdout).toBe(value.yaml);
});

it("template prints a built-in workflow, a file, and what a run goes by after its file has changed", async () => {
  const { holdfast, json, write } = project();
  expect((await json(["template", "qa-loop"])).value).toMatchObject({ origin: "built-in", extends: [] });
  expect((await json(["template", ".holdfast/workflows/ship.yaml"])).value).toMatchObject({ workflow: "ship" });
  const { value: started } = await json(["start", "ship"]);
  const before = (await holdfast(["template", "ship"])).stdout;
  write(".holdfast/workflows/ship.yaml", ship.replace("threats, type", "dangers, type"));
  expect((await holdfast(["template", started.runId])).stdout).toBe(before);
  expect((await json(["template", started.runId])).value).toMatchObject({
    origin: "run",
    file: "ship",
    extends: ["feature"],
  });
  expect((await holdfast(["template", "ship"])).stdout).toContain("dangers");
});

it("template refuses what is not there or has problems", async () => {
  const { json } = project({ "ship.yaml": ship.replace("after: plan", "after: plam") });
  expect(await json(["template", "shp"])).toMatchObject({ code: 1, value: { error: { code: "workflow-unknown" } } });
  const { value } = await json(["template", "ship"]);
  expect(value.error.code).toBe("template-invalid");
  expect(value.error.message).toContain('5:14  change[0].after  feature has no step "plam"; did you mean plan?');
});

it("list says what extends what", async () => {
  const { holdfast, json } = project({
    "ship.yaml": ship,
    "big.yaml": "name: big\nextends: ship\n",
    "own.yaml": "name: own\nextends: bas\n",
  });
  const { stdout } = await holdfast(["list"]);
  expect(stdout).toMatch(
    /^big +Ship a feature \(\d+ steps, project, extends ship, which extends the built-in feature\)$/m,
  );
  expect(stdout).toMatch(/^ship +Ship a feature \(\d+ steps, project, extends the built-in feature\)$/m);
  expect(stdout).toMatch(/^own +has problems; run holdfast lint \(project\)$/m);
  const { workflows } = (await json(["list"])).value;
  expect(workflows.find((row: { name: string }) => row.name === "big").extends).toEqual([
    { name: "ship", origin: "project" },
    { name: "feature", origin: "built-in" },
  ]);
  expect(workflows.find((row: { name: string }) => row.name === "feature").extends).toEqual([]);
});

it("lint shows a problem of a base once, under its file", async () => {
  const base = "name: base\ndescription: x\nsteps: [{ id: a, type: acton, instructions: x }]\n";
  const over = (name: string) => `name: ${name}\nextends: base\n`;
  const { holdfast, json } = project({ "base.yaml": base, "one.yaml": over("one"), "two.yaml": over("two") });
  const { code, stdout } = await holdfast(["lint"]);
  expect(code).toBe(1);
  expect(stdout).toBe(
    [
      ".holdfast/workflows/base.yaml",
      '  3:24  steps[0].type  step "a" has "acton" as its type; use action, loop, ralph or command; did you mean action?',
      "1 problem",
      "",
    ].join("\n"),
  );
  const { files } = (await json(["lint", ".holdfast/workflows/one.yaml"])).value;
  expect(files[0].problems[0]).toMatchObject({
    file: ".holdfast/workflows/base.yaml",
    position: { line: 3, column: 24 },
  });
});

it("eject copies a built-in workflow that then overrides it, and overwrites nothing", async () => {
  const { holdfast, json, root, write } = createProject();
  const file = ".holdfast/workflows/feature.yaml";
  const before = (await json(["template", "feature"])).value.template;
  expect(await holdfast(["eject", "feature"])).toMatchObject({
    code: 0,
    stdout: `${file} now overrides the built-in workflow feature\n`,
  });
  expect((await json(["template", "feature"])).value).toMatchObject({ origin: "project", template: before });
  expect(readFileSync(join(root, file), "utf8")).toMatch(
    /^# yaml-language-server: \$schema=\.\.\/\.\.\/node_modules\//,
  );
  expect(readdirSync(join(root, ".holdfast/workflows"))).toEqual(["feature.yaml"]);
  write(file, "mine");
  expect(await json(["eject", "feature"])).toMatchObject({
    code: 1,
    value: {
      error: { code: "file-exists", message: `${file} already exists`, next: "change that file, or remove it first" },
    },
  });
  expect(readFileSync(join(root, file), "utf8")).toBe("mine");
});

it("eject refuses a workflow that is not built in, also one whose name is a path", async () => {
  const { json } = project({ "own.json": "{}" });
  expect((await json(["eject", "own"])).value.error).toMatchObject({ code: "file-exists" });
  for (const name of ["nope", "../feature", "workflows/feature.yaml"]) {
    expect((await json(["eject", name])).value.error).toMatchObject({ code: "workflow-unknown" });
  }
});

it("eject writes nothing through a link", async () => {
  const { json, root, home } = createProject();
  mkdirSync(join(root, ".holdfast"));
  symlinkSync(home, join(root, ".holdfast/workflows"));
  expect((await json(["eject", "feature"])).value.error.code).toBe("state-broken");
  expect(existsSync(join(home, "feature.yaml"))).toBe(false);
});

it("of two ejects at once, one writes the file and the other is refused", async () => {
  const { holdfast, root } = createProject();
  const codes = await Promise.all(Array.from({ length: 4 }, async () => (await holdfast(["eject", "release"])).code));
  expect(codes.sort()).toEqual([0, 1, 1, 1]);
  expect(readdirSync(join(root, ".holdfast/workflows"))).toEqual(["release.yaml"]);
});
