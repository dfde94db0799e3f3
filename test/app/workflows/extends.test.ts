import { rmSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { makeMachines } from "../transfer/machines.ts";
import { makeWorld, type World } from "../world.ts";

const base = `name: base
description: A base
steps:
  - { id: plan, type: action, instructions: Plan it }
  - { id: check, type: action, instructions: Check it, gate: [{ run: "true" }] }
`;
const ship = "name: ship\nextends: base\nchange:\n  - { step: plan, set: { instructions: Plan it well } }\n";

const [baseFile, shipFile] = [".holdfast/workflows/base.yaml", ".holdfast/workflows/ship.yaml"];

function project(): World {
  const world = makeWorld({ git: false });
  world.write(baseFile, base);
  world.write(shipFile, ship);
  return world;
}

/** Whether `status` says that the run's workflow has changed. */
async function hasDrifted(world: World): Promise<boolean> {
  const status = await world.agent().ok("status", {});
  return "driftedTemplate" in status;
}

describe("a workflow that extends another", () => {
  it("runs under its own name, as one template", async () => {
    const world = project();
    const started = await world.script().ok("start", { workflow: "ship", trust: true });
    expect(started).toMatchObject({ workflow: "ship", step: "plan" });
    expect(JSON.stringify(started)).toContain("Plan it well");
  });

  it("is told apart from its base: both can be live", async () => {
    const world = project();
    const own = await world.script().ok("start", { workflow: "ship", trust: true });
    const other = await world.script().ok("start", { workflow: "base", trust: true });
    expect(own.runId).not.toBe(other.runId);
  });

  it("is trusted as a whole: an edited command of the base asks again, edited prose does not", async () => {
    const world = project();
    const person = world.person();
    await person.ok("trust", { workflow: "ship", yes: true });
    world.write(baseFile, `# A comment\n${base.replace(/description: .*/, "description: Reworded")}`);
    await world.agent().ok("start", { workflow: "ship" });
    world.write(baseFile, base.replace('run: "true"', "run: touch evil"));
    expect(await world.agent().no("start", { workflow: "ship", another: true })).toEqual({
      code: "template-untrusted",
      workflow: "ship",
      commands: ["touch evil"],
      covers: ["gate of check, at most 10m: touch evil"],
      changes: ["+ gate of check, at most 10m: touch evil", "- gate of check, at most 10m: true"],
    });
  });

  it("shows the problems of its base with that file's name", async () => {
    const world = project();
    world.write(baseFile, base.replace("type: action", "type: acton"));
    expect(await world.agent().no("start", { workflow: "ship" })).toEqual({
      code: "template-invalid",
      file: shipFile,
      problems: [
        `${baseFile}:4:23  steps[0].type  step "plan" has "acton" as its type; use action, loop, ralph or command; did you mean action?`,
      ],
    });
  });

  it("has changed when its base has, and takes over the new version when asked to", async () => {
    const world = project();
    await world.script().ok("start", { workflow: "ship", trust: true });
    expect(await hasDrifted(world)).toBe(false);
    world.write(baseFile, `# A comment\n${base}`);
    expect(await hasDrifted(world)).toBe(false);
    world.write(baseFile, base.replace("Check it", "Check it twice"));
    expect(await hasDrifted(world)).toBe(true);
    await world.person().ok("trust", { workflow: "ship", yes: true });
    await world.person().ok("adopt", {});
    expect(await hasDrifted(world)).toBe(false);
  });

  it("has changed when a file of the project comes before the built-in one that it extends", async () => {
    const world = makeWorld({ git: false });
    world.write(shipFile, "name: ship\nextends: qa-loop\n");
    await world.script().ok("start", { workflow: "ship" });
    const agent = world.agent();
    expect(await agent.ok("status", {})).not.toHaveProperty("driftedTemplate");
    world.write(".holdfast/workflows/qa-loop.yaml", base);
    expect(await agent.ok("status", {})).toHaveProperty("driftedTemplate");
    expect(await hasDrifted(world)).toBe(true);
  });

  it("that cannot be read anymore leaves a run alone", async () => {
    const world = project();
    await world.script().ok("start", { workflow: "ship", trust: true });
    rmSync(world.path(baseFile));
    expect(await hasDrifted(world)).toBe(true);
    expect(await world.agent().ok("advance", { output: "planned" })).toMatchObject({ step: "check" });
  });
});

describe("a run of a workflow that extends another, on another machine", () => {
  it("goes by the template that it came with, and shows what it was made from", async () => {
    const { ada, bob } = makeMachines({ other: "steps: [{ id: a, type: action, instructions: A }]" });
    ada.write(baseFile, base);
    ada.write(shipFile, ship);
    const { runId: run } = await ada.script().ok("start", { workflow: "ship", trust: true });
    const { text } = await ada.script().ok("export", { run });
    await bob.script().ok("import", { text: text ?? "", source: "run.holdfast" });
    const [there, here] = [ada, bob].map((machine) => machine.script().ok("template", { workflow: run }));
    expect(await here).toEqual(await there);
    expect(await here).toMatchObject({ workflow: "ship", origin: "run", file: "ship", extends: ["base"] });
  });

  it("is compared with the file there, if there is one", async () => {
    const { ada, bob } = makeMachines({ other: "steps: [{ id: a, type: action, instructions: A }]" });
    for (const machine of [ada, bob]) {
      machine.write(baseFile, base);
      machine.write(shipFile, ship);
    }
    const { runId: run } = await ada.script().ok("start", { workflow: "ship", trust: true });
    const { text } = await ada.script().ok("export", { run });
    await bob.script().ok("import", { text: text ?? "", source: "run.holdfast" });
    expect(await bob.agent().ok("status", { run })).not.toHaveProperty("driftedTemplate");
    bob.write(baseFile, base.replace("Check it", "Check it twice"));
    expect(await bob.agent().ok("status", { run })).toHaveProperty("driftedTemplate");
  });
});

it("in a linked worktree, the workflows of the main one extend one another", async () => {
  const world = makeWorld();
  world.write(".holdfast/workflows/ship.yaml", "name: ship\nextends: ../../shared/base.yaml\n");
  world.write("shared/base.yaml", base);
  const worktree = world.worktree("side");
  expect(await world.agent("s1", worktree).ok("template", { workflow: "ship" })).toMatchObject({
    extends: ["../../shared/base.yaml"],
    template: { name: "ship", steps: [{ id: "plan" }, { id: "check" }] },
  });
});

it("in a linked worktree, its own copy of a file that overrides a built-in one extends that", async () => {
  const world = makeWorld();
  const insert = "change: [{ first: true, insert: [{ id: ours, type: action, instructions: Ours }] }]";
  world.write(".holdfast/workflows/qa-loop.yaml", `name: qa-loop\nextends: qa-loop\n${insert}\n`);
  world.commit();
  const agent = world.agent("s1", world.worktree("side"));
  const { files } = await agent.ok("lint", { files: [".holdfast/workflows/qa-loop.yaml"] });
  expect(files).toEqual([{ file: ".holdfast/workflows/qa-loop.yaml", problems: [] }]);
});

it("a file changes while a run starts: the run notices", async () => {
  const world = project();
  const person = world.script({
    isTerminal: true,
    // Between the reading of the files and the first commit.
    confirm: async () => world.write(baseFile, base.replace("Check it", "Check it twice")) !== "",
  });
  const started = await person.ok("start", { workflow: "ship" });
  expect(await person.ok("template", { workflow: started.runId })).toMatchObject({
    template: { steps: [{ id: "plan" }, { instructions: "Check it" }] },
  });
  expect(await hasDrifted(world)).toBe(true);
});
