import { readFile } from "node:fs/promises";
import { expect, test } from "vitest";
import { jsonSchema, schemaNames } from "../../../src/model/written/json-schema.ts";
import { WrittenTemplate } from "../../../src/model/written/written-template.ts";

test.each(schemaNames)("schema/%s.json is what the model says; if not, run npm run docs", async (name) => {
  const written = await readFile(new URL(`../../../schema/${name}.json`, import.meta.url), "utf8");
  expect(JSON.parse(written)).toEqual(JSON.parse(JSON.stringify(jsonSchema(name))));
});

test("the template's schema offers every key of a step, so that an editor can complete them", () => {
  const text = JSON.stringify(jsonSchema("template"));
  for (const key of [
    "phase",
    "artefacts",
    "context",
    "on_fail",
    "max_retries",
    "gate",
    "until",
    "outcomes",
    "budget",
  ]) {
    expect(text).toContain(`"${key}"`);
  }
});

test.each([
  [true, "a whole workflow", { name: "a", description: "b", steps: [{ id: "c", type: "action", instructions: "d" }] }],
  [true, "one that merges part of an agent", { name: "a", extends: "b", agents: { c: { tools: ["read"] } } }],
  [true, "a removal", { name: "a", extends: "b", change: [{ step: "c", remove: true }] }],
  [true, "a key that is removed", { name: "a", extends: "b", change: [{ step: "c/d", set: { gate: null, n: 2 } }] }],
  [true, "a sub-step", { name: "a", extends: "b", change: [{ first: "c", insert: [{ id: "d", instructions: "e" }] }] }],
  [false, "steps beside extends", { name: "a", extends: "b", steps: [] }],
  [false, "changes without extends", { name: "a", description: "b", change: [] }],
  [false, "two places", { name: "a", extends: "b", change: [{ step: "c", after: "d", remove: true }] }],
  [false, "a misspelt key of a step", { name: "a", extends: "b", change: [{ step: "c", set: { gaet: null } }] }],
])("the template's schema says %s to %s", (valid, _, value) => {
  expect(WrittenTemplate.safeParse(value).success).toBe(valid);
});
