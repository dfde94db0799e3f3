import { rmSync } from "node:fs";
import { describe, expect, it } from "vitest";
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

  it("is trusted as a whole: an edited base asks again, an edited comment does not", async () => {
    const world = project();
    const person = world.person();
    await person.ok("trust", { workflow: "ship", yes: true });
    world.write(baseFile, `# A comment\n${base}`);
    await world.agent().ok("start", { workflow: "ship" });
    world.write(baseFile, base.replace('run: "true"', "run: touch evil"));
    expect(await world.agent().no("start", { workflow: "ship", another: true })).toEqual({
      code: "template-untrusted",
      workflow: "ship",
      commands: ["touch evil"],
    });
  });

  it("shows the problems of its base with that file's name", async () => {
    const world = project();
    world.write(baseFile, base.replace("type: action", "type: acton"));
    expect(await world.agent().no("start", { workflow: "ship" })).toEqual({
      code: "template-invalid",
      file: shipFile,
      problems: [
        `${baseFile}:4:23  steps[0].type  step "plan" has "acton" as its type; use action, loop or ralph; did you mean action?`,
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
