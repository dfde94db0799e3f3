import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { wordRefusal } from "../../../src/model/refusal/refusal.ts";
import { makeWorld, type World } from "../world.ts";

const yaml = `agents: { reviewer: { description: reviews, tools: [read, search] } }
critical_artifacts: { always_load: [{ id: log, type: text, command: git log, reload_triggers: [manual] }] }
loops: { build: [{ id: verify, agent: reviewer, instructions: Verify it, gate: [{ run: npm test, timeout: 5m }] }] }
steps:
  - { id: work, type: action, instructions: Work, gate: [{ run: touch ran.txt }, { exists: a.md }] }
  - { id: build, type: loop }
  - { id: polish, type: ralph, n: 2, instructions: Polish, until: [{ run: [npm, run, lint] }] }`;

const covers = [
  "gate of work, at most 10m: touch ran.txt",
  "gate of build/verify, at most 5m: npm test",
  "until of polish, at most 10m: npm run lint",
  "artifact log, at most 30s: git log",
  "tools of the agent reviewer: read, search",
];

async function trusted(text = yaml, options: Parameters<typeof makeWorld>[0] = {}): Promise<World> {
  const world = makeWorld(options);
  world.workflow("own", text);
  await world.person().ok("trust", { workflow: "own" });
  return world;
}

const start = { workflow: "own", another: true };

/** What the refusal of a start says has changed; null if nobody has to be asked. */
async function changesIn(world: World, cwd?: string): Promise<readonly string[] | null> {
  const outcome = await world.agent(undefined, cwd).ask("start", start);
  if (outcome.ok) return null;
  return outcome.refusal.code === "template-untrusted" ? outcome.refusal.changes : [outcome.refusal.code];
}

describe("trust covers", () => {
  it("each command with its step, kind and timeout, and the tools of agents, all shown before the question", async () => {
    const world = makeWorld();
    world.workflow("own", yaml);
    const asked: string[] = [];
    const person = world.script({ isTerminal: true, confirm: async (question) => asked.push(question) > 0 });
    expect(await person.ok("trust", { workflow: "own" })).toMatchObject({ covers });
    expect(asked).toEqual([
      `The workflow "own" runs these commands:\n  ${covers.slice(0, 4).join("\n  ")}\n` +
        `It lets agents use:\n  ${covers[4]}\nTrust it?`,
    ]);
  });

  it.each([
    ["instructions", "Work, gate", "Work hard and well, gate"],
    ["a description", "description: reviews", "description: reviews everything"],
    ["a step without commands", "- { id: build", "- { id: pause, type: action, instructions: Pause }\n  - { id: build"],
    ["a file that must exist", "{ exists: a.md }", "{ exists: b.md }"],
    ["an approval", "{ exists: a.md }", "{ approval: human }"],
    ["the order of the gates", "{ run: touch ran.txt }, { exists: a.md }", "{ exists: a.md }, { run: touch ran.txt }"],
    ["how often a step repeats", "n: 2", "n: 3"],
    ["an effort", "id: work,", "id: work, effort: high,"],
    ["a budget", "id: work,", "id: work, budget: { cost: 2 },"],
    ["a reminder", "agents:", "key_reminders: [Be kind]\nagents:"],
    ["a timeout that is the default", "run: touch ran.txt", 'run: touch ran.txt, timeout: "10m"'],
  ])("no prose: %s can change", async (_, from, to) => {
    const world = await trusted();
    expect(yaml).toContain(from);
    world.workflow("own", yaml.replace(from, to));
    expect(await changesIn(world)).toBeNull();
  });

  it.each([
    ["a command", "touch ran.txt", "touch other.txt", [`+ ${covers[0]?.replace("ran", "other")}`, `- ${covers[0]}`]],
    ["a timeout", "timeout: 5m", "timeout: 6m", [`+ ${covers[1]?.replace("5m", "6m")}`, `- ${covers[1]}`]],
    ["a step's name", "id: polish", "id: shine", [`+ ${covers[2]?.replace("polish", "shine")}`, `- ${covers[2]}`]],
    [
      "an artifact",
      "command: git log",
      "command: git diff",
      ["+ artifact log, at most 30s: git diff", `- ${covers[3]}`],
    ],
    ["tools", "[read, search]", "[read, search, write]", [`+ ${covers[4]}, write`, `- ${covers[4]}`]],
    ["a model of an agent", "[read, search]", "[read, search], model: opus", ["+ model of the agent reviewer: opus"]],
    ["the tools of a step", "id: work,", "id: work, tools: [Write],", ["+ tools of step work: Write"]],
    [
      "a sub-step's permissions",
      "id: verify,",
      "id: verify, permissions: edit,",
      ["+ permissions of step build/verify: edit"],
    ],
    ["a new gate", "{ exists: a.md }", "{ run: rm x }", ["+ gate of work, at most 10m: rm x"]],
    ["a removed gate", "{ run: touch ran.txt }, ", "", [`- ${covers[0]}`]],
  ])("%s: a change asks again and is shown", async (_, from, to, changes) => {
    const world = await trusted();
    expect(yaml).toContain(from);
    world.workflow("own", yaml.replace(from, to));
    expect(await changesIn(world)).toEqual(changes);
    const refusal = await world.agent().no("start", start);
    expect(wordRefusal(refusal).message).toContain(`\nSince it was last trusted:\n  ${changes.join("\n  ")}`);
    const asked: string[] = [];
    const person = world.script({ isTerminal: true, confirm: async (question) => asked.push(question) > 0 });
    await person.ok("trust", { workflow: "own" });
    expect(asked[0]).toContain(`\nSince you last trusted it:\n  ${changes.join("\n  ")}\nTrust it?`);
    expect(await changesIn(world)).toBeNull();
  });

  it("a shell line and an argument list as two different commands", async () => {
    const world = await trusted();
    world.workflow("own", yaml.replace("[npm, run, lint]", '["npm run lint"]'));
    expect(await changesIn(world)).not.toBeNull();
  });

  it("a workflow of the same commands under another name separately", async () => {
    const world = await trusted();
    world.workflow("other", yaml);
    expect(await world.agent().no("start", { workflow: "other" })).toMatchObject({ changes: [] });
  });

  it("no tools alone: a workflow without commands needs no trust", async () => {
    const world = makeWorld();
    world.workflow(
      "own",
      `agents: { reviewer: { description: reviews, tools: [read] } }
steps: [{ id: work, type: action, agent: reviewer, instructions: Work }]`,
    );
    expect(await changesIn(world)).toBeNull();
  });
});

describe("trust is bound to the project", () => {
  it("so another project with the same workflow asks", async () => {
    const world = await trusted();
    const elsewhere = makeWorld();
    elsewhere.workflow("own", yaml);
    elsewhere.config("trusted.jsonl", readFileSync(`${world.configFolder}/trusted.jsonl`, "utf8"));
    expect(await changesIn(elsewhere)).toEqual([]);
  });

  it("and holds in its linked worktrees", async () => {
    const world = await trusted();
    world.commit();
    expect(await changesIn(world, world.worktree("beside"))).toBeNull();
  });

  it("a changed origin voids it, and the question says so", async () => {
    const world = makeWorld();
    world.workflow("own", yaml);
    world.git("remote", "add", "origin", "https://one:secret@example.org/a.git");
    await world.person().ok("trust", { workflow: "own" });
    expect(await changesIn(world)).toBeNull();
    expect(readFileSync(`${world.configFolder}/trusted.jsonl`, "utf8")).not.toContain("secret");
    world.git("remote", "set-url", "origin", "https://example.org/b.git");
    expect(await changesIn(world)).toEqual(["the git origin of this project has changed"]);
    world.git("remote", "set-url", "origin", "https://one:secret@example.org/a.git");
    expect(await changesIn(world)).toBeNull();
    world.git("remote", "remove", "origin");
    expect(await changesIn(world)).toEqual(["the git origin of this project has changed"]);
    world.git("remote", "add", "upstream", "https://one:secret@example.org/a.git");
    expect(await changesIn(world)).toEqual(["the git origin of this project has changed"]);
  });

  it("entries of a later version count for nothing, stay, and stand in nobody's way", async () => {
    const world = makeWorld();
    world.workflow("own", yaml);
    const newer = '{"format":3,"needs":"9.0.0","everything":true}\n';
    const file = world.config("trusted.jsonl", newer);
    expect(await changesIn(world)).toEqual([]);
    await world.person().ok("trust", { workflow: "own" });
    expect(await changesIn(world)).toBeNull();
    expect(readFileSync(file, "utf8").startsWith(newer)).toBe(true);
  });

  it("entries of the first format count for nothing, and stay", async () => {
    const world = makeWorld();
    world.workflow("own", yaml);
    const hash = `sha256:${"0".repeat(64)}`;
    const old = `${JSON.stringify({ format: 1, hash, workflow: "own", at: "2026-01-01T00:00:00.000Z" })}\n`;
    const file = world.config("trusted.jsonl", old);
    expect(await changesIn(world)).toEqual([]);
    await world.person().ok("trust", { workflow: "own" });
    expect(await changesIn(world)).toBeNull();
    expect(readFileSync(file, "utf8")).toMatch(/^\{"format":1.*\n+\{"format":2/);
  });
});
