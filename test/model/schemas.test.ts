import { readFile } from "node:fs/promises";
import { expect, test } from "vitest";
import { jsonSchema, schemaNames } from "../../src/model/schemas.ts";

test.each(schemaNames)("schema/%s.json is what the model says; if not, run npm run docs", async (name) => {
  const written = await readFile(new URL(`../../schema/${name}.json`, import.meta.url), "utf8");
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
