import { describe, expect, test } from "vitest";
import { parseFrozen } from "../../src/app/workflows/parse-frozen.ts";
import { stepSettings } from "../../src/engine/step-settings.ts";
import { rulesOfVisit } from "../../src/engine/view/visit-rules.ts";
import { visitRuleLines } from "../../src/handoff/sections.ts";
import { hashTemplate } from "../../src/templates/hash.ts";
import { drive, template } from "./drive.ts";

const law = template(`
agents:
  reader: { description: reads, model: opus, effort: high, tools: [Read], permissions: read }
loops:
  build:
    - { id: code, instructions: x, model: sonnet }
    - { id: check, instructions: x, agent: reader, effort: max }
steps:
  - { id: plan, type: action, instructions: x }
  - { id: look, type: action, instructions: x, agent: reader, tools: [Read, Grep], permissions: edit }
  - { id: build, type: loop, model: haiku, tools: [Write] }
`);

const hintsAt = (step: string, subStep?: string) =>
  stepSettings(
    law,
    subStep === undefined ? { type: "action", step } : { type: "sub-step", step, subStep, index: 0, task: "t" },
  )?.hints;

describe("the hints of a visit", () => {
  test.each([
    ["a step without any", hintsAt("plan"), {}],
    [
      "a step over those of its agent",
      hintsAt("look"),
      { model: "opus", effort: "high", tools: ["Read", "Grep"], permissions: "edit" },
    ],
    ["a sub-step over those of its loop's step", hintsAt("build", "code"), { model: "sonnet", tools: ["Write"] }],
    [
      "a sub-step, its step and its agent, each key by itself",
      hintsAt("build", "check"),
      { model: "haiku", effort: "max", tools: ["Write"], permissions: "read" },
    ],
  ])("are those of %s", (_, hints, expected) => {
    expect(hints).toEqual(expected);
  });

  test("are in its status, and in that of no visit without them", () => {
    const driver = drive(law);
    expect(driver.status()).not.toHaveProperty("hints");
    expect(driver.done().status().hints).toEqual(hintsAt("look"));
  });

  test("are told to whoever keeps them: limits to the agent itself, the model too to one that delegates", () => {
    const driver = drive(
      `steps: [{ id: a, type: action, instructions: x, model: opus, tools: [Read], permissions: read }]`,
    );
    expect(visitRuleLines(rulesOfVisit(driver.template, { variables: {} }, driver.visit()))).toEqual([
      "In this visit, use only these tools: Read.",
      "In this visit, only read: change nothing.",
    ]);
    const other = drive(law).done();
    expect(visitRuleLines(rulesOfVisit(law, { variables: {} }, other.visit()))).toEqual([
      'The agent "reader": reads. Its model: opus. Its tools: Read, Grep.',
    ]);
  });
});

test("a template that was frozen with other tools loads unchanged", () => {
  const old = {
    name: "old",
    description: "x",
    agents: { a: { description: "x", tools: ["*", "", "--yolo", "a\nb"] }, b: { description: "y", tools: [] } },
    steps: [{ id: "plan", type: "action" as const, instructions: "x", agent: "a" }],
  };
  const frozen = JSON.stringify({ format: 1, from: "old.yaml", source: "s", template: old });
  expect(parseFrozen("template.json", frozen, hashTemplate(old))).toMatchObject({ template: old });
});
