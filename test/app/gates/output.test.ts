import { mkdirSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { expect, it, test } from "vitest";
import { BadSchema, misfit } from "../../../src/app/gates/match-schema.ts";
import { type Face, makeWorld, type World } from "../world.ts";

/** A run whose one step has this gate. */
async function gated(
  gate: string,
  files: Readonly<Record<string, string>> = {},
): Promise<{ world: World; agent: Face }> {
  const world = makeWorld({ git: false });
  for (const [path, text] of Object.entries(files)) world.write(path, text);
  world.workflow(
    "gated",
    `steps:
  - { id: work, type: action, instructions: Work, gate: ${gate} }
  - { id: after, type: action, instructions: After }`,
  );
  const agent = world.agent("s1");
  await agent.ok("start", { workflow: "gated" });
  return { world, agent };
}

it("an answer without the text is refused with the author's message and what was missing, and may be sent again", async () => {
  const { agent } = await gated("[{ output: { contains: 'Failing case:' }, message: Name the failing case first }]");
  expect(await agent.ok("next")).toMatchObject({
    rules: expect.stringContaining('your output contains "Failing case:" (Name the failing case first)'),
  });
  expect(await agent.no("advance", { output: "done" })).toMatchObject({
    code: "gate-failed",
    what: "Name the failing case first",
    exitCode: null,
    tail: 'the output does not contain "Failing case:"',
  });
  expect(await agent.ok("advance", { output: "Failing case: none" })).toMatchObject({ step: "after" });
});

it("needs no trust: nothing is executed", async () => {
  const { agent } = await gated("[{ output: { contains: ok } }]");
  expect(await agent.ok("advance", { output: "ok" })).toMatchObject({ step: "after" });
});

test.each([
  ["[0-9]+ tests", "all 12 tests pass", true],
  ["[0-9]+ tests", "tests pass", false],
  ["^done$", "done", true],
  ["^done$", "well done", false],
  ["^(ok|done)", "done\nand more", true],
  ["b$", "a\nb", true],
  ["b$", "a\nb\n", true],
  ["b$", "a\nb\r\n", true],
  ["b$", "b\n\n", false],
  ["b\\n$", "b\n", true],
  ["PASS$", `${"a".repeat(65_532)}PASS\nFAIL\n`, false],
  ["PASS$", `${"a".repeat(100_000)}PASS`, true],
])("the pattern %s in the answer %.20j: %s", async (matches, output, held) => {
  const { agent } = await gated(JSON.stringify([{ output: { matches } }]));
  if (held) expect(await agent.ok("advance", { output })).toMatchObject({ step: "after" });
  else {
    const tail = `the output does not match "${matches}"`;
    expect(await agent.no("advance", { output })).toMatchObject({ code: "gate-failed", tail });
  }
});

it("a pattern that would take minutes is not looked for: the gate does not hold, and says why", async () => {
  const { agent } = await gated('[{ output: { matches: "([a-z]{1,50}){1,8}X" } }]');
  expect(await agent.no("advance", { output: `${"a".repeat(500_000)}X` })).toMatchObject({
    code: "gate-failed",
    tail: 'the output is too long to look for "([a-z]{1,50}){1,8}X" in all of it',
  });
});

it("a schema with such a pattern holds the gate, too", async () => {
  const { agent } = await gated(schemaGate, { "schemas/plan.json": '{"pattern":"([a-z]{1,50}){1,8}X"}' });
  const output = JSON.stringify(`${"a".repeat(500_000)}X`);
  expect(await agent.no("advance", { output })).toMatchObject({ tail: `${unusable}checking it takes too long` });
});

it("ends the iterations of a ralph step when it holds", async () => {
  const world = makeWorld({ git: false });
  world.workflow(
    "polish",
    `steps:
  - { id: polish, type: ralph, n: 5, instructions: Polish, until: [{ output: { contains: nothing left } }] }
  - { id: after, type: action, instructions: After }`,
  );
  const agent = world.agent("s1");
  await agent.ok("start", { workflow: "polish" });
  expect(await agent.ok("advance", { output: "more to do" })).toMatchObject({ step: "polish" });
  expect(await agent.ok("advance", { output: "nothing left" })).toMatchObject({ step: "after" });
});

const plan = JSON.stringify({
  $schema: "https://json-schema.org/draft/2020-12/schema",
  type: "object",
  required: ["title", "steps"],
  properties: { title: { type: "string", minLength: 3 }, steps: { type: "array", items: { $ref: "#/$defs/step" } } },
  additionalProperties: false,
  $defs: { step: { type: "object", required: ["id"], properties: { id: { type: "string", pattern: "^[a-z]+$" } } } },
});
const schemaGate = "[{ output: { schema: schemas/plan.json } }]";
const files = { "schemas/plan.json": plan };

test.each([
  ["JSON that fits", '{"title":"Plan","steps":[{"id":"a"}]}', null],
  ["JSON in a block", 'Here it is:\n```json\n{"title":"Plan","steps":[]}\n```\nThat is all.', null],
  ["a text", "I have planned it", "the output is not JSON, and has no block of JSON between ``` lines"],
  ["JSON without a required key", '{"title":"Plan"}', "steps is missing"],
  ["JSON with another key", '{"title":"Plan","steps":[],"x":1}', "x must not be there"],
  ["a wrong value in a list", '{"title":"Plan","steps":[{"id":"a"},{"id":"B2"}]}', 'steps[1].id must match "^[a-z]+$"'],
  ["a short text", '{"title":"P","steps":[]}', "title must have at least 3 characters, not 1"],
  ["a list instead of a map", "[]", "the value must be object"],
])("a schema and %s", async (_, output, problem) => {
  const { agent } = await gated(schemaGate, files);
  if (problem === null) expect(await agent.ok("advance", { output })).toMatchObject({ step: "after" });
  else expect(await agent.no("advance", { output })).toMatchObject({ code: "gate-failed", tail: problem });
});

const unusable = "the schema schemas/plan.json of this gate cannot be used: ";

test.each([
  ["is missing", {}, "there is no such file"],
  ["is not JSON", { "schemas/plan.json": "type: object" }, "it is not JSON"],
  ["is a list", { "schemas/plan.json": "[]" }, "a schema must be a map, true or false"],
  ["is too large", { "schemas/plan.json": `"${"x".repeat(1_000_001)}"` }, "it is too large"],
  [
    "has a keyword that is not known",
    { "schemas/plan.json": '{"patternProperties":{}}' },
    'it uses "patternProperties", which is not supported',
  ],
  [
    "refers to another file",
    { "schemas/plan.json": '{"$ref":"other.json"}' },
    'it refers to "other.json", but only references within the file are followed',
  ],
  ["refers to itself", { "schemas/plan.json": '{"$ref":"#"}' }, "checking it takes too long"],
])("a schema that %s holds the gate and says so", async (_, given, problem) => {
  const { agent } = await gated(schemaGate, given);
  expect(await agent.no("advance", { output: "{}" })).toMatchObject({ code: "gate-failed", tail: unusable + problem });
});

it("a schema is not read through a link that leads out of the project", async () => {
  const { world, agent } = await gated(schemaGate);
  const outside = makeWorld({ git: false });
  outside.write("secret.json", "true");
  mkdirSync(join(world.project, "schemas"));
  symlinkSync(join(outside.project, "secret.json"), join(world.project, "schemas/plan.json"));
  const tail = `${unusable}it leads out of the project`;
  expect(await agent.no("advance", { output: "{}" })).toMatchObject({ code: "gate-failed", tail });
});

test.each<readonly [schema: unknown, fits: readonly unknown[], not: readonly unknown[]]>([
  [true, [1, null], []],
  [{ type: ["integer", "null"] }, [1, null], [1.5, "1"]],
  [{ enum: [1, { a: [1] }] }, [1, { a: [1] }], [2, { a: [] }]],
  [{ const: { a: 1, b: 2 } }, [{ b: 2, a: 1 }], [{ a: 1 }]],
  [{ minimum: 1, maximum: 3 }, [1, 3, "x"], [0, 4]],
  [{ minItems: 1, maxItems: 2, uniqueItems: true }, [[1], [1, 2], "x"], [[], [1, 2, 3], [1, 1]]],
  [{ maxLength: 2 }, ["ab", "😀😀", 7], ["abc"]],
  [{ allOf: [{ type: "string" }, { minLength: 1 }] }, ["a"], ["", 1]],
  [{ anyOf: [{ type: "string" }, { type: "null" }] }, ["", null], [1]],
  [{ oneOf: [{ type: "number" }, { type: "integer" }] }, [1.5], [1, "x"]],
  [{ not: { type: "string" } }, [1], ["x"]],
  [JSON.parse('{"if":{"type":"string"},"then":{"minLength":2},"else":{"minimum":5}}'), ["ab", 5], ["a", 4]],
  [{ additionalProperties: { type: "number" } }, [{ a: 1 }, []], [{ a: "x" }]],
  [{ required: ["toString"] }, [{ toString: 1 }], [{}]],
])("the schema %j", (schema, fits, not) => {
  expect(fits.map((value) => misfit(schema, value))).toEqual(fits.map(() => null));
  for (const value of not) expect(misfit(schema, value), JSON.stringify(value)).not.toBeNull();
});

it("a schema with a value of the wrong kind is at fault itself", () => {
  for (const schema of [{ type: "text" }, { required: "a" }, { minLength: "3" }, { pattern: "(" }, { enum: 1 }, 7]) {
    expect(() => misfit(schema, isMapSchema(schema) ? {} : "x"), JSON.stringify(schema)).toThrow(BadSchema);
  }
});

function isMapSchema(schema: object | number): boolean {
  return typeof schema === "object" && "required" in schema;
}
