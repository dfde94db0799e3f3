import { cpSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { wordRefusal } from "../../../src/model/refusal/refusal.ts";
import { contentOf, makeWorld, type World } from "../world.ts";

const steps = `steps:
  - { id: work, type: action, instructions: Work, gate: [{ run: touch ran.txt }] }
  - { id: more, type: action, instructions: More, gate: [{ run: [npm, run, "a b"] }] }`;

const untrusted = {
  code: "template-untrusted",
  workflow: "own",
  commands: ["touch ran.txt", 'npm run "a b"'],
  covers: ["gate of work, at most 10m: touch ran.txt", 'gate of more, at most 10m: npm run "a b"'],
  changes: [],
};

function hostile(yaml = steps): World {
  const world = makeWorld({ git: false });
  world.workflow("own", yaml);
  return world;
}

describe("a workflow with commands that nobody has trusted", () => {
  it("does not start; the refusal names every command and the line to type", async () => {
    const world = hostile();
    const before = contentOf(world.project);
    const refusal = await world.agent().no("start", { workflow: "own" });
    expect(refusal).toEqual(untrusted);
    expect(wordRefusal(refusal)).toEqual({
      message: `the workflow "own" runs commands that nobody has trusted yet:\n  ${untrusted.covers.join("\n  ")}`,
      next: "a person must read them, then run: holdfast trust own",
    });
    expect(contentOf(world.project)).toEqual(before);
  });

  it("names the commands of loops, of until and of artifacts too, and none that the host runs", async () => {
    const world = hostile(`loops: { build: [{ id: a, instructions: A, gate: [{ run: in the loop }] }] }
critical_artifacts:
  always_load:
    - { id: one, type: text, command: [git, log], reload_triggers: [session_start] }
    - { id: two, type: text, command: /cost, reload_triggers: [session_start] }
steps:
  - { id: build, type: loop }
  - { id: polish, type: ralph, n: 2, instructions: P, until: [{ run: in until }] }`);
    expect(await world.agent().no("start", { workflow: "own" })).toMatchObject({
      commands: ["in the loop", "in until", "git log"],
    });
  });

  it("without any command needs no trust", async () => {
    const world = hostile("steps: [{ id: a, type: action, instructions: A, gate: [{ exists: x }] }]");
    expect(await world.agent().ok("start", { workflow: "own" })).toMatchObject({ step: "a" });
  });

  it("starts when the person at the terminal says yes, and is then trusted", async () => {
    const world = hostile();
    const questions: string[] = [];
    const answering = (answer: boolean) =>
      world.script({ isTerminal: true, confirm: async (question) => questions.push(question) > 0 && answer });
    expect(await answering(false).no("start", { workflow: "own" })).toEqual(untrusted);
    expect(await answering(true).ok("start", { workflow: "own" })).toMatchObject({ step: "work" });
    expect(await world.agent().ok("start", { workflow: "own", another: true })).toMatchObject({ step: "work" });
    const question = `The workflow "own" runs these commands:\n  ${untrusted.covers.join("\n  ")}\nTrust it?`;
    expect(questions).toEqual([question, question]);
  });

  it("is not asked about in an agent's terminal", async () => {
    const world = hostile();
    const face = world.script({
      isTerminal: true,
      env: { CLAUDECODE: "1" },
      confirm: async () => {
        throw new Error("an agent was asked");
      },
    });
    expect(await face.no("start", { workflow: "own" })).toEqual(untrusted);
  });
});

describe("trusting", () => {
  it("ahead is a person's, and holds for exactly that content", async () => {
    const world = hostile();
    const trusted = await world.person().ok("trust", { workflow: "own" });
    expect(trusted).toEqual({
      workflow: "own",
      hash: expect.stringMatching(/^sha256:[0-9a-f]{64}$/),
      commands: untrusted.commands,
      covers: untrusted.covers,
    });
    expect(await world.agent().ok("start", { workflow: "own" })).toMatchObject({ step: "work" });
  });

  it("is asked for again after one changed byte in a command", async () => {
    const world = hostile();
    await world.person().ok("trust", { workflow: "own" });
    world.workflow("own", steps.replace("ran.txt", "ran.tx"));
    expect(await world.agent().no("start", { workflow: "own" })).toMatchObject({
      code: "template-untrusted",
      commands: ["touch ran.tx", 'npm run "a b"'],
    });
  });

  it("is not asked for again after a change of comments, layout or the order of keys", async () => {
    const world = hostile();
    await world.person().ok("trust", { workflow: "own" });
    world.write(
      ".holdfast/workflows/own.yaml",
      `# a comment
description: a test
name: own
steps:
  - type: action
    id: work
    instructions: "Work"
    gate:
      - run: 'touch ran.txt'
  - { type: action, id: more, gate: [{ run: ["npm", "run", "a b"] }], instructions: More }
`,
    );
    expect(await world.agent().ok("start", { workflow: "own" })).toMatchObject({ step: "work" });
  });

  it("with --trust is for CI, and is kept", async () => {
    const world = hostile();
    expect(await world.script().ok("start", { workflow: "own", trust: true })).toMatchObject({ step: "work" });
    expect(await world.script().ok("advance")).toMatchObject({ step: "more" });
  });

  it("with --trust is refused in an agent's shell", async () => {
    const world = hostile();
    expect(await world.agent().no("start", { workflow: "own", trust: true })).toEqual({
      code: "person-needed",
      what: "trusting a workflow",
      why: "this is an agent's shell (CLAUDECODE is set)",
      inAgent: true,
    });
    expect(await world.agent().no("start", { workflow: "own" })).toEqual(untrusted);
  });

  it("with --trust may be a script's that knows the secret, wherever it runs", async () => {
    const world = hostile();
    const secretFile = world.config("secret", "0123456789abcdef0123");
    const script = world.script({ env: { CLAUDECODE: "1" }, as: { name: "ci", secretFile } });
    expect(await script.ok("start", { workflow: "own", trust: true })).toMatchObject({ step: "work" });
  });

  it("of everything is a line in the user's own settings", async () => {
    const world = hostile();
    world.config("config.yaml", "# mine\ntrust: all\nother: { setting: 1 }\n");
    expect(await world.agent().ok("start", { workflow: "own" })).toMatchObject({ step: "work" });
  });

  it("of everything cannot be said by the project", async () => {
    const world = hostile();
    world.write(".holdfast/config.yaml", "trust: all\n");
    world.write(".config/holdfast/config.yaml", "trust: all\n");
    expect(await world.agent().no("start", { workflow: "own" })).toEqual(untrusted);
  });

  it.each([
    ["a word that is not all", "trust: everything\n"],
    ["broken YAML", "trust: [all\n"],
    ["a list", "- trust\n"],
  ])("by settings with %s is told to be broken, and nothing is trusted", async (_, text) => {
    const world = hostile();
    world.config("config.yaml", text);
    await expect(world.agent().ask("start", { workflow: "own" })).rejects.toMatchObject({
      code: "state-broken",
      message: expect.stringContaining('config.yaml: it is no settings file: a map in YAML, where trust is "all"'),
    });
  });

  it.each(["", "# nothing yet\n"])("by empty settings is not given", async (text) => {
    const world = hostile();
    world.config("config.yaml", text);
    expect(await world.agent().no("start", { workflow: "own" })).toEqual(untrusted);
  });

  it("by a list that is broken is told, and the list stays as it is", async () => {
    const world = hostile();
    const file = world.config("trusted.jsonl", '{"format": 2}');
    await expect(world.person().ask("trust", { workflow: "own" })).rejects.toMatchObject({ code: "state-broken" });
    expect(readFileSync(file, "utf8")).toBe('{"format": 2}');
  });

  it("keeps what was trusted before", async () => {
    const world = hostile();
    world.workflow("other", steps.replaceAll("ran", "other"));
    await world.person().ok("trust", { workflow: "own" });
    await world.person().ok("trust", { workflow: "other" });
    expect(await world.agent().ok("start", { workflow: "own" })).toBeTruthy();
    expect(await world.agent().ok("start", { workflow: "other" })).toBeTruthy();
  });
});

describe("a run that someone else brought along", () => {
  /** A project with a run of its own in it, started where its commands were trusted, and not trusted here. */
  async function shipped(): Promise<{ readonly world: World; readonly runId: string }> {
    const elsewhere = hostile();
    elsewhere.config("config.yaml", "trust: all\n");
    const { runId } = await elsewhere.agent().ok("start", { workflow: "own" });
    const world = makeWorld({ git: false });
    cpSync(join(elsewhere.project, ".holdfast"), join(world.project, ".holdfast"), { recursive: true });
    return { world, runId };
  }

  it("can be looked at, and its commands are not run", async () => {
    const { world, runId } = await shipped();
    expect(await world.agent().ok("next")).toMatchObject({ runId, step: "work" });
    expect(await world.agent().no("advance", { output: "done" })).toEqual(untrusted);
    expect(readdirSync(world.project)).not.toContain("ran.txt");
  });

  it("goes on when a person has trusted the workflow", async () => {
    const { world } = await shipped();
    await world.person().ok("trust", { workflow: "own" });
    expect(await world.agent().ok("advance")).toMatchObject({ step: "more" });
    expect(readdirSync(world.project)).toContain("ran.txt");
  });

  it("whose template is not the project's is trusted by its own name, never by the workflow's", async () => {
    const { world, runId } = await shipped();
    world.workflow("own", "steps: [{ id: work, type: action, instructions: Harmless }]");
    const refusal = await world.agent().no("advance");
    expect(refusal).toEqual({ ...untrusted, workflow: runId });
    expect(wordRefusal(refusal).next).toBe(`a person must read them, then run: holdfast trust ${runId}`);
    await world.person().ok("trust", { workflow: "own" });
    expect(await world.agent().no("advance")).toMatchObject({ code: "template-untrusted" });
    expect(readdirSync(world.project)).not.toContain("ran.txt");
    expect(await world.agent().no("trust", { workflow: runId })).toMatchObject({ code: "person-needed" });
    expect(await world.person().ok("trust", { workflow: runId })).toMatchObject({ commands: untrusted.commands });
    expect(await world.agent().ok("advance")).toMatchObject({ step: "more" });
  });

  it("that cannot be found is not trusted", async () => {
    const { world } = await shipped();
    const workflow = "own-20260131_000000-zzzz";
    expect(await world.person().no("trust", { workflow })).toEqual({ code: "run-unknown", run: workflow });
  });

  it("does not pass for a trusted one by carrying its hash", async () => {
    const { world, runId } = await shipped();
    const [name = ""] = readdirSync(world.runFolder(runId)).filter((file) => file.startsWith("template-"));
    const file = join(world.runFolder(runId), name);
    await world.person().ok("trust", { workflow: "own" });
    writeFileSync(file, readFileSync(file, "utf8").replace("touch ran.txt", "touch bad.txt"));
    const broken = {
      code: "state-broken",
      message: `${runId}/${name}: it is not the template that the run knows`,
      next: "restore the file, or start a new run",
    };
    await expect(world.agent().ask("advance")).rejects.toMatchObject(broken);
    await expect(world.agent().ask("status")).rejects.toMatchObject(broken);
    expect(readdirSync(world.project)).not.toContain("bad.txt");
  });

  it("whose template is missing or no template is told to be broken", async () => {
    const { world, runId } = await shipped();
    const [name = ""] = readdirSync(world.runFolder(runId)).filter((file) => file.startsWith("template-"));
    const file = join(world.runFolder(runId), name);
    for (const text of ["", "{", "{}", '{"format":2}', "null"]) {
      writeFileSync(file, text);
      await expect(world.agent().ask("status")).rejects.toMatchObject({ code: "state-broken" });
    }
    rmSync(file);
    await expect(world.agent().ask("status")).rejects.toMatchObject({
      message: `${runId}/${name}: the run's template is missing`,
    });
  });

  it("under another id than its journal tells is told to be broken, and touches no other run", async () => {
    const { world, runId } = await shipped();
    const copy = runId.replace("0001", "0002");
    cpSync(world.runFolder(runId), world.runFolder(copy), { recursive: true });
    await world.person().ok("trust", { workflow: "own" });
    const before = world.journal(runId);
    await expect(world.agent().ask("advance", { run: copy })).rejects.toMatchObject({
      code: "state-broken",
      message: `${copy}: its journal belongs to the run ${runId}`,
    });
    expect(world.journal(runId)).toBe(before);
    renameSync(world.runFolder(runId), join(world.home, "away"));
    await expect(world.agent().ask("advance", { run: copy })).rejects.toMatchObject({ code: "state-broken" });
  });
});
