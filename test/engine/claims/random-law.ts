import fc from "fast-check";
import type { Template } from "../../../src/model/template.ts";
import { loadTemplate } from "../../../src/templates/load.ts";

const onFail = fc.constantFrom(undefined, "retry", "retry", "skip", "skip", "abort", { go_to: "plan" });
const gate = fc.option(fc.constantFrom([{ approval: "human" }], [{ run: "npm test" }, { approval: "human" }]), {
  nil: undefined,
  freq: 2,
});
const budget = fc.option(
  fc.record(
    { turns: fc.integer({ min: 2, max: 4 }), minutes: fc.integer({ min: 3, max: 12 }), pivot_to: fc.constant("plan") },
    { requiredKeys: ["minutes"] },
  ),
  { nil: undefined, freq: 2 },
);
const context = fc.option(fc.constantFrom("compact", "clear"), { nil: undefined, freq: 2 });
const when = fc.option(fc.constantFrom("outputs.plan contains 'o1'", "task.id != 't1'"), { nil: undefined, freq: 1 });
const retries = fc.integer({ min: 0, max: 2 });
const subStep = fc.record({ on_fail: onFail, max_retries: retries, gate, budget, context, when });
const parallel = fc.integer({ min: 1, max: 5 });

/** A loop that several agents work on, between steps that lead to it and back to it, and another loop behind it. */
export const randomLaw: fc.Arbitrary<Template> = fc
  .record({
    parallel,
    build: fc.array(subStep, { minLength: 1, maxLength: 3 }),
    other: fc.option(parallel, { nil: undefined }),
    extra: subStep,
    budget: fc.option(fc.record({ turns: fc.integer({ min: 5, max: 20 }) }), { nil: undefined, freq: 1 }),
  })
  .map(lawOf);

interface Parts {
  readonly parallel: number;
  readonly build: readonly object[];
  readonly other?: number | undefined;
  readonly extra: object;
  readonly budget?: object | undefined;
}

export function lawOf({ parallel, build, other, extra, budget }: Parts): Template {
  const named = (steps: readonly object[]) =>
    steps.map((step, index) => ({ id: `p${index}`, instructions: "Do {task.title}", ...step }));
  const reading = loadTemplate(
    JSON.stringify({
      name: "random",
      description: "a random workflow",
      budget,
      loops: { build: named(build), extra: named([extra]) },
      steps: [
        { id: "plan", type: "action", instructions: "Plan" },
        { id: "build", type: "loop", parallel },
        {
          id: "check",
          type: "action",
          instructions: "Check",
          outcomes: { on: "next", back: "build", anew: "plan" },
        },
        { id: "extra", type: "loop", parallel: other },
        { id: "ship", type: "action", instructions: "Ship" },
      ],
    }),
  );
  if (!reading.ok) throw new Error(JSON.stringify(reading.problems));
  return reading.template;
}
