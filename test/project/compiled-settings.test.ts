import { statSync, utimesSync } from "node:fs";
import { expect, test } from "vitest";
import { findSettings } from "../../src/project/compiled-settings.ts";
import { defaultSettings } from "../../src/project/settings.ts";
import { makeWorld } from "../app/world.ts";

test("settings that were changed in place are seen, however the file's times were set", async () => {
  const world = makeWorld();
  const found = async () => (await findSettings(world.project)).settings.patienceSeconds;
  const file = world.write(".holdfast/config.yaml", "patience_seconds: 3\n");
  const { atime, mtime } = statSync(file);
  expect(await found()).toBe(3);
  world.write(".holdfast/config.yaml", "patience_seconds: 7\n");
  utimesSync(file, atime, mtime);
  expect(await found()).toBe(7);
  world.write(".holdfast/config.yaml", "patience_seconds: x\n");
  expect(await findSettings(world.project)).toMatchObject({ settings: { patienceSeconds: null } });
});

const artifact = (field: string) => `cards: off
critical_artifacts:
  conditional_load:
    - { id: plan, type: text, path: PLAN.md }
    - id: notes
      type: text
      path: NOTES.md
      ${field}
`;

const place = "critical_artifacts.conditional_load.1";
const allowed = "a condition compares values of state, run and variables, like variables.depth > 1";

test.each([
  [
    "condition: stat.phase == 1",
    `line 8, column 18: ${place}.condition: "stat" is unknown; did you mean state?; ${allowed}`,
  ],
  ["condition: 'run.status = 1'", `line 8, column 30: ${place}.condition: `],
  ["condition: >-\n        run.status\n        == ", `line 8, column 18: ${place}.condition: `],
  ['condition: "run.\\x73tatus =="', `line 8, column 18: ${place}.condition: `],
])("a condition that cannot be parsed is found when the settings are read: %s", async (field, problem) => {
  const world = makeWorld();
  world.write(".holdfast/config.yaml", artifact(field));
  const found = await findSettings(world.project);
  expect(found.problem).toContain(`.holdfast/config.yaml: ${problem}`);
  expect(found.problem).toContain(allowed);
  expect(found.settings).toEqual(defaultSettings);
});

test("so is a path into the run's state", async () => {
  const world = makeWorld();
  const bad = "{ id: a, type: text, path_from_state: 'a b' }";
  world.write(".holdfast/config.yaml", `critical_artifacts:\n  always_load: [${bad}]\n`);
  expect((await findSettings(world.project)).problem).toBe(
    ".holdfast/config.yaml: line 2, column 57: critical_artifacts.always_load.0.path_from_state: " +
      "expected .name, [0] or ['name']; a path names a value of the run's state, like artifacts.plan or files[0]",
  );
});

test.each([
  ".git",
  ".git/refs/heads",
  "a/../.GIT/hooks",
  "docs/.git /x",
  "GIT~1/refs",
  ".g\u200cit/refs",
  ".holdfast",
  ".holdfast/",
  "./.holdfast/runs",
  ".Holdfast/cache/x",
])("a clone cannot have its cards written among the files of git or of Holdfast: %s", async (folder) => {
  const world = makeWorld();
  world.write(".holdfast/config.yaml", `cards: { folder: ${JSON.stringify(folder)} }\n`);
  const found = await findSettings(world.project);
  expect(found.problem).toMatch(
    /^\.holdfast\/config\.yaml: cards\.folder: must not be a folder (?:of git|that Holdfast uses)/,
  );
  expect(found.settings).toEqual(defaultSettings);
});

test.each([".github/cards", "git/cards", ".holdfast/cards", "docs/.gitkeep"])("cards may be in %s", async (folder) => {
  const world = makeWorld();
  world.write(".holdfast/config.yaml", `cards: { folder: ${folder} }\n`);
  expect(await findSettings(world.project)).toMatchObject({ problem: null, settings: { cards: { folder } } });
});

test("thousands of keys are one short problem, as is a key that occurs twice", async () => {
  const world = makeWorld();
  const problem = async (text: string) => {
    world.write(".holdfast/config.yaml", text);
    return (await findSettings(world.project)).problem ?? "";
  };
  const keys = Array.from({ length: 6_000 }, (_, n) => `k${n}`);
  expect(await problem(`{${keys.join(",")}}\n`)).toMatch(
    /^\.holdfast\/config\.yaml: the file: Unrecognized keys: "k0".{100,300}\.\.\.$/,
  );
  expect(await problem(`# ${"x".repeat(64 * 1024)}\n`)).toContain("too large");
  expect(await problem("cards: off\nhostname: on\ncards: on\n")).toContain('the key "cards" occurs twice');
  expect(await problem("handoff: { limit: 2000, limit: 3000 }\n")).toContain('the key "limit" occurs twice');
});

test("settings whose conditions can be parsed are in effect", async () => {
  const world = makeWorld();
  world.write(".holdfast/config.yaml", artifact("condition: run.status == 'running' && !variables.quick"));
  const { problem, settings } = await findSettings(world.project);
  expect({ problem, on: settings.cards.on, artifacts: settings.artifacts.length }).toEqual({
    problem: null,
    on: false,
    artifacts: 2,
  });
});

test.each(["local", "plans", "markers"])("tracked.%s has at most 50 texts of 500 characters", async (name) => {
  const world = makeWorld();
  const problem = async (texts: readonly string[]) => {
    world.write(".holdfast/config.yaml", `tracked: { ${name}: ${JSON.stringify(texts)} }\n`);
    return (await findSettings(world.project)).problem;
  };
  expect(await problem(Array(50).fill("x".repeat(500)))).toBe(null);
  expect(await problem(Array(51).fill("*/*"))).toContain(`tracked.${name}: must have at most 50`);
  expect(await problem(["x".repeat(501)])).toContain("must have at most 500 characters");
});

test("a project may say that its runs are shared, and what it is called, and nothing else about it", async () => {
  const world = makeWorld();
  const found = async (text: string) => {
    world.write(".holdfast/config.yaml", text);
    const { settings, problem } = await findSettings(world.project);
    return [settings.shared, problem];
  };
  expect(await found("store: postgres\nproject: shop\n")).toEqual([{ project: "shop" }, null]);
  // Left over when a team has gone back to files.
  expect(await found("project: shop\n")).toEqual([null, null]);
  expect(await found("store: postgres\n")).toEqual(["unclear", expect.stringContaining("project: is required")]);
  const database = "store: postgres\nproject: shop\ndatabase: postgres://evil.example.com/x\n";
  expect(await found(database)).toEqual(["unclear", expect.stringContaining("database")]);
  expect(await found("store: postgres\nproject: shop\ncards: [\n")).toEqual(["unclear", expect.any(String)]);
  expect(await found("cards: [\n")).toEqual([null, expect.any(String)]);
});
