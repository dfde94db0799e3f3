import fc from "fast-check";
import { expect, test } from "vitest";
import { hashTemplate } from "../../../src/templates/hash.ts";
import { loadTemplate } from "../../../src/templates/load.ts";
import { problemText } from "../../../src/templates/problem.ts";
import { loadWorkflow, type WorkflowReading } from "../../../src/templates/reuse/load-workflow.ts";
import { templateYaml } from "../../../src/templates/reuse/template-yaml.ts";
import { cases } from "../../dose.ts";

const base = `name: base
description: Build it
agents: { reviewer: { description: reads } }
variables: { goal: less }
key_reminders: [Ask first]
loops:
  build:
    - { id: make, instructions: Make it }
    - { id: verify, instructions: Verify it }
steps:
  - { id: plan, type: action, instructions: Plan it }
  - { id: review, type: action, agent: reviewer, instructions: Review it, outcomes: { good: build, bad: plan } }
  - { id: build, type: loop }
  - { id: polish, type: ralph, n: 3, instructions: "Polish {vars.goal}" }
`;

const id = fc.constantFrom(
  "plan",
  "review",
  "build",
  "polish",
  "new",
  "build/make",
  "build/verify",
  "build/new",
  "",
  "a/b/c",
  "__proto__",
);
const junk = fc.oneof(fc.constant(null), fc.boolean(), fc.integer(), fc.string(), fc.constant([]), fc.constant({}), id);
const step = fc.record(
  {
    id: fc.oneof(id, junk),
    type: fc.oneof(fc.constantFrom("action", "loop", "ralph"), junk),
    instructions: fc.oneof(fc.string({ minLength: 1 }), junk),
    outcomes: fc.oneof(fc.dictionary(fc.string(), id), junk),
    n: fc.oneof(fc.integer(), junk),
    agent: fc.oneof(fc.constant("reviewer"), junk),
  },
  { requiredKeys: [] },
);
const change = fc.oneof(
  fc.record({ after: id, insert: fc.array(step) }),
  fc.record({ before: id, insert: fc.array(step) }),
  fc.record({ first: fc.oneof(id, fc.boolean()), insert: fc.array(step) }),
  fc.record({ last: fc.oneof(id, fc.boolean()), insert: fc.array(step) }),
  fc.record({ step: id, set: step }),
  fc.record({ step: id, remove: fc.constant(true) }),
  fc.record({ step: junk, after: junk, set: junk, insert: junk, remove: junk }, { requiredKeys: [] }),
  junk,
);
const layer = fc.record(
  {
    name: fc.oneof(fc.constant("ship"), junk),
    agents: fc.oneof(fc.dictionary(fc.string(), fc.record({ tools: junk }, { requiredKeys: [] })), junk),
    variables: fc.oneof(fc.dictionary(fc.string(), junk), junk),
    key_reminders: fc.oneof(fc.array(fc.string()), junk),
    loops: fc.oneof(fc.dictionary(fc.constantFrom("build", "new"), fc.array(step)), junk),
    steps: junk,
    change: fc.oneof(fc.array(change, { maxLength: 8 }), junk),
  },
  { requiredKeys: ["change"] },
);

/** The layers over the base, nearest to it last. */
function load(layers: readonly object[]): WorkflowReading {
  const texts = layers.map((each, index) => JSON.stringify({ extends: `layer${index + 1}`, ...each }));
  const contents = [...texts, base].map((text) => Buffer.from(text));
  const read = (index: number) => contents[index] ?? Buffer.alloc(0);
  const findBase = (reference: string) => {
    const index = Number(reference.replace("layer", ""));
    return { file: reference, origin: "project" as const, label: reference, content: read(index) };
  };
  return loadWorkflow({ file: "layer0", content: read(0) }, findBase);
}

test("whatever a file changes, it is loaded whole or refused with positions", () => {
  fc.assert(
    fc.property(fc.array(layer, { minLength: 1, maxLength: 3 }), (layers) => {
      const reading = load(layers);
      for (const { position } of reading.ok ? [] : reading.problems) expect(position).not.toBeNull();
      if (!reading.ok) {
        expect(reading.problems.length).toBeGreaterThan(0);
        return;
      }
      const again = loadTemplate(templateYaml(reading.template));
      expect(again.ok ? [] : again.problems.map(problemText)).toEqual([]);
      expect(again.ok && again.hash).toBe(hashTemplate(reading.template));
    }),
    cases({ quick: 8, long: 750, soak: 20_000 }),
  );
});

test("valid changes of a valid base are resolved as a person would, one after the other", () => {
  const ids = ["plan", "polish", "a", "b", "c"];
  const edit = fc.record({
    at: fc.constantFrom("before", "after"),
    target: fc.constantFrom(...ids),
    id: fc.constantFrom("a", "b", "c"),
  });
  fc.assert(
    fc.property(fc.array(edit, { maxLength: 6 }), (edits) => {
      const expected = ["plan", "review", "build", "polish"];
      const change = edits.flatMap(({ at, target, id: own }) => {
        const index = expected.indexOf(target);
        if (index === -1 || expected.includes(own)) return [];
        expected.splice(index + (at === "after" ? 1 : 0), 0, own);
        return [{ [at]: target, insert: [{ id: own, type: "action", instructions: own }] }];
      });
      const reading = load([{ name: "ship", change }]);
      expect(reading.ok && reading.template.steps.map((each) => each.id)).toEqual(expected);
    }),
    cases({ quick: 10, long: 250, soak: 5_000 }),
  );
});
