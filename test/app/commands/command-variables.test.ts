import { existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { wordRefusal } from "../../../src/model/refusal/refusal.ts";
import { makeWorld, type World } from "../world.ts";

const yaml = `variables:
  check: { type: command, default: touch default.txt, description: How the work is checked }
  scope: all
steps:
  - { id: work, type: action, instructions: Work, gate: [{ command: check, timeout: 1m }] }
  - { id: polish, type: ralph, n: 2, instructions: Polish, until: [{ command: check }] }
  - { id: end, type: action, instructions: End }`;

function project(text = yaml): World {
  const world = makeWorld({ git: false });
  world.workflow("own", text);
  return world;
}

function ran(world: World): string[] {
  return ["default.txt", "given.txt", "evil.txt"].filter((name) => existsSync(join(world.project, name)));
}

const given = { workflow: "own", variables: { check: "touch given.txt" } };

describe("a command variable", () => {
  it("is executed through the shell, as a gate and in until, with its value shown everywhere", async () => {
    const world = project();
    const asked: string[] = [];
    const person = world.script({ isTerminal: true, confirm: async (question) => asked.push(question) > 0 });
    const variables = { check: 'touch given.txt && echo "$HOLDFAST_VAR_SCOPE" > scope.txt' };
    await person.ok("start", { workflow: "own", variables });
    expect(asked).toEqual([
      `The workflow "own" runs these commands:\n  gate of work, at most 1m, from check: ${variables.check}\n` +
        `  until of polish, at most 10m, from check: ${variables.check}\nTrust it?`,
    ]);
    expect(await world.agent().ok("next")).toMatchObject({
      rules: expect.stringContaining(`\`${variables.check}\` passes`),
    });
    expect(await world.agent().ok("advance")).toMatchObject({ step: "polish" });
    expect(ran(world)).toEqual(["given.txt"]);
    expect(world.read("scope.txt")).toBe("all\n");
    expect(await world.agent().ok("advance")).toMatchObject({ step: "end" });
    const checked = (await world.agent().events()).filter(({ type }) => type === "gates-checked");
    expect(checked).toMatchObject([
      { purpose: "gate", evidence: [{ held: true, what: variables.check }] },
      { purpose: "until", evidence: [{ held: true, what: variables.check }] },
    ]);
  });

  it("is executed as a step of its own, under the trust in its value", async () => {
    const world = project(`variables: { deploy: { type: command, default: touch default.txt } }
steps:
  - { id: deploy, type: command, run: { command: deploy }, timeout: 1m }
  - { id: end, type: action, instructions: End }`);
    const covers = ["step deploy, at most 1m, from deploy: touch default.txt"];
    expect(await world.agent().no("start", { workflow: "own" })).toMatchObject({ code: "template-untrusted", covers });
    await world.person().ok("trust", { workflow: "own" });
    expect(await world.agent().ok("start", { workflow: "own" })).toMatchObject({ step: "end" });
    expect(ran(world)).toEqual(["default.txt"]);
    const ended = (await world.agent().events()).filter(({ type }) => type === "command-ended");
    expect(ended).toMatchObject([{ evidence: { held: true, what: "touch default.txt" } }]);
    const other = { workflow: "own", variables: { deploy: "touch evil.txt" } };
    expect(await world.agent().no("start", other)).toMatchObject({ code: "variable-protected", variable: "deploy" });
    expect(ran(world)).toEqual(["default.txt"]);
  });

  it("uses its default where none is given, also over MCP, once that is trusted", async () => {
    const world = project();
    expect(await world.agent().no("start", { workflow: "own" })).toMatchObject({
      code: "template-untrusted",
      covers: expect.arrayContaining(["gate of work, at most 1m, from check: touch default.txt"]),
    });
    await world.person().ok("trust", { workflow: "own" });
    await world.agent().ok("start", { workflow: "own" });
    await world.agent().ok("advance");
    expect(ran(world)).toEqual(["default.txt"]);
  });

  it("is trusted by value: another value, or another default, asks again", async () => {
    const world = project();
    await world.person().ok("start", given);
    expect(await world.agent().no("start", { workflow: "own", another: true })).toMatchObject({
      code: "template-untrusted",
      changes: expect.arrayContaining(["+ gate of work, at most 1m, from check: touch default.txt"]),
    });
    world.workflow("own", yaml.replace("touch default.txt", "touch given.txt"));
    expect(await world.agent().ok("start", { workflow: "own", another: true })).toMatchObject({ step: "work" });
  });

  it("that a start gives is not covered by trust in the workflow, and the refusal does not say so", async () => {
    const world = project();
    await world.person().ok("trust", { workflow: "own" });
    const refusal = await world.script({ isTerminal: true }).no("start", given);
    expect(refusal).toMatchObject({ code: "template-untrusted" });
    expect(wordRefusal(refusal).next).toBe(
      "a person must read them, then start it in a terminal of their own, or with --trust",
    );
    await world.script({ isTerminal: true }).ok("start", { ...given, trust: true });
  });

  it("that nothing executes is covered too", async () => {
    const world = project(yaml.replace(/, gate: .*\]/, "").replace(/, until: .*\]/, ""));
    expect(await world.agent().no("start", { workflow: "own" })).toMatchObject({
      covers: ["variable check: touch default.txt"],
    });
  });

  it("that is required and missing names the line that a person types", async () => {
    const world = project(yaml.replace("default: touch default.txt", "required: true"));
    const refusal = await world.agent().no("start", { workflow: "own" });
    expect(refusal).toMatchObject({ code: "variable-missing", missing: ["check"], commands: ["check"] });
    expect(wordRefusal(refusal, "mcp").next).toBe(
      'ask the person to run in a terminal: holdfast start own --var check="..."',
    );
    const person = world.script({ isTerminal: true, confirm: async () => true, ask: async () => "touch given.txt" });
    await person.ok("start", { workflow: "own" });
    await world.agent().ok("advance");
    expect(ran(world)).toEqual(["given.txt"]);
  });

  it.each([
    ["a path of this machine", (world: World) => `sh ${world.project}/x.sh`],
    ["the home folder", (world: World) => `ls ${world.home}/x`],
    ["a secret", () => "curl -H abcdefgh12345678"],
  ])("with %s in it is refused, because a run keeps neither", async (_, command) => {
    const world = project();
    const person = world.script({
      isTerminal: true,
      confirm: async () => true,
      env: { MY_TOKEN: "abcdefgh12345678" },
    });
    expect(await person.no("start", { workflow: "own", variables: { check: command(world) } })).toMatchObject({
      code: "variable-invalid",
      problem: expect.stringContaining("contains a path or a secret of this machine"),
    });
  });
});

describe("an agent cannot set a command", () => {
  const refused = { code: "variable-protected", variable: "check", workflow: "own" };

  it.each([
    ["over MCP", (world: World) => world.script({ face: "mcp" })],
    [
      "over MCP in a host that says nothing of itself, with a terminal",
      (world: World) => world.script({ face: "mcp", env: {} }),
    ],
    ["in its shell", (world: World) => world.script({ face: "cli", env: { CLAUDECODE: "1" } })],
    [
      "in a terminal that it drives",
      (world: World) =>
        world.script({ face: "cli", isTerminal: true, confirm: async () => true, env: { CODEX_SANDBOX: "1" } }),
    ],
    ["in a pipe", (world: World) => world.script({ face: "cli" })],
  ])("with a start %s", async (_, caller) => {
    const world = project();
    await world.person().ok("trust", { workflow: "own" });
    expect(await caller(world).no("start", given)).toEqual(refused);
    expect(await caller(world).no("start", { ...given, variables: { check: "touch default.txt" } })).toEqual(refused);
    expect(await world.agent().no("next")).toMatchObject({ code: "run-unknown" });
  });

  it("with --trust in its shell, while a script for CI can", async () => {
    const world = project();
    const agent = world.script({ face: "cli", env: { CLAUDECODE: "1" } });
    expect(await agent.no("start", { ...given, trust: true })).toEqual(refused);
    expect(await world.script({ face: "mcp" }).no("start", { ...given, trust: true })).toEqual(refused);
    expect(await world.script({ face: "cli" }).ok("start", { ...given, trust: true })).toMatchObject({ step: "work" });
  });

  it("with an advance, whoever sends it", async () => {
    const world = project();
    await world.person().ok("start", given);
    for (const caller of [world.agent(), world.person()]) {
      const refusal = await caller.no("advance", { variables: { check: "touch evil.txt" } });
      expect(refusal).toEqual({ code: "variable-protected", variable: "check", workflow: null });
      expect(wordRefusal(refusal).next).toContain("send it again without this variable");
    }
    expect(ran(world)).toEqual([]);
    await world.agent().ok("advance");
    expect(ran(world)).toEqual(["given.txt"]);
  });

  it("by editing the run's card", async () => {
    const world = makeWorld();
    world.workflow("own", yaml);
    await world.person().ok("start", given);
    const files = filesIn(join(world.project, "untracked/workflow-state"));
    for (const file of files) writeFileSync(file, readFileSync(file, "utf8").replaceAll("given.txt", "evil.txt"));
    expect(files.length).toBeGreaterThan(0);
    await world.agent().ok("next");
    await world.agent().ok("advance");
    expect(ran(world)).toEqual(["given.txt"]);
  });

  it("under a name that a later version of the workflow executes", async () => {
    const world = project(
      yaml
        .replace("check: { type: command, default: touch default.txt,", "other: { type: text,")
        .replace("command: check, timeout: 1m", "exists: a.md")
        .replace("command: check", "exists: a.md"),
    );
    world.write("a.md", "a");
    await world.agent().ok("start", { workflow: "own" });
    await world.agent().ok("advance", { variables: { check: "touch evil.txt" } });
    world.workflow("own", yaml);
    world.config("config.yaml", "trust: all\n");
    for (const caller of [world.script(), world.person()]) expect(await caller.no("adopt")).toEqual(refused);
    world.workflow("own", yaml.replaceAll("touch default.txt", "touch evil.txt"));
    expect(await world.person().ok("adopt"), "what the file itself says").toMatchObject({ step: "polish" });
    expect(ran(world)).toEqual([]);
  });
});

function filesIn(folder: string): string[] {
  const entries = readdirSync(folder, { recursive: true, withFileTypes: true });
  return entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name));
}

describe("a line that a person may paste", () => {
  it("has no command in it that a repository put into a name", async () => {
    const world = makeWorld({ git: false });
    const name = "x; touch evil.txt #'";
    world.write(`.holdfast/workflows/${name}.yaml`, `name: own\ndescription: a test\n${yaml}`);
    const untrusted = await world.agent().no("start", { workflow: name });
    expect(wordRefusal(untrusted).next).toBe(
      "a person must read them, then run: holdfast trust 'x; touch evil.txt #'\\'''",
    );
    const refused = await world.agent().no("start", { workflow: name, variables: { check: "x" } });
    expect(wordRefusal(refused).next).toBe(
      "a person must run in a terminal of their own: holdfast start 'x; touch evil.txt #'\\''' --var check=\"...\"",
    );
  });
});
