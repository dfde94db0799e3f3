import fc from "fast-check";
import type { SubStep, Template } from "../../src/model/template.ts";
import { loadTemplate } from "../../src/templates/load.ts";

const context = fc.option(fc.constantFrom("compact", "clear"), { nil: undefined });
const onFail = fc.option(
  fc.oneof(
    fc.constantFrom("retry", "skip", "abort"),
    fc.nat(4).map((target) => ({ target })),
  ),
  { nil: undefined },
);
const gates = fc.option(
  fc.array(fc.constantFrom({ run: "npm test" }, { exists: "docs/x.md" }, { approval: "human" }), {
    minLength: 1,
    maxLength: 2,
  }),
  { nil: undefined },
);
const limits = (most: number) => ({
  turns: fc.integer({ min: 1, max: most }),
  minutes: fc.integer({ min: 1, max: 2 * most }),
  tokens: fc.integer({ min: 1, max: 20 * most }),
  cost: fc.integer({ min: 1, max: most }),
});
const budget = fc.option(fc.record(limits(3), { requiredKeys: ["turns"] }), { nil: undefined });
/** For the whole run, with room for a few visits. */
const runBudget = fc.option(fc.record(limits(12), { requiredKeys: ["tokens"] }), { nil: undefined });
/** False more often than not after a while: outputs and outcomes come to be, and an advance sets no variable. */
const when = fc.option(
  fc.constantFrom(
    ...["outputs.s0 contains 'o1'", "size outputs.s0 > 1", "outputs.s0 == null", "vars.mode in ['quick', 'full']"],
    ...["vars.mode == 'slow'", "state.steps.s0.status != 'done'", "run.summary != null"],
  ),
  { nil: undefined, freq: 2 },
);
const common = { context, on_fail: onFail, max_retries: fc.integer({ min: 0, max: 2 }), budget, when };

const subStep = fc.record({ ...common, instructions: fc.constant("Do {task.title} for {run.id}"), gate: gates });

/** Where a loop gets its tasks from. */
const source = fc.option(
  fc.constantFrom({ run: "npm run list" }, { run: "npm run list", repeatable: true }, { file: "docs/tasks.md" }),
  { nil: undefined, freq: 2 },
);

const stepTypes = fc.oneof(
  fc.record({
    type: fc.constant("command"),
    run: fc.constant("npm run build"),
    repeatable: fc.option(fc.boolean(), { nil: undefined }),
    on_fail: onFail,
    max_retries: fc.integer({ min: 0, max: 2 }),
    when,
  }),
  fc.record({ ...common, type: fc.constant("action"), gate: gates, targets: fc.array(fc.nat(9), { maxLength: 3 }) }),
  fc.record({
    ...common,
    type: fc.constant("loop"),
    subSteps: fc.array(subStep, { minLength: 1, maxLength: 3 }),
    tasks: source,
    parallel: fc.option(fc.integer({ min: 1, max: 3 }), { nil: undefined, freq: 1 }),
  }),
  fc.record({
    ...common,
    type: fc.constant("ralph"),
    gate: gates,
    n: fc.integer({ min: 1, max: 3 }),
    until: fc.option(fc.constant([{ run: "npm run lint" }]), { nil: undefined }),
  }),
);

/** Any workflow that the language can say, small enough to be walked in many directions. */
export const randomTemplate: fc.Arbitrary<Template> = fc
  .tuple(
    fc.array(stepTypes, { minLength: 1, maxLength: 5 }),
    fc.array(fc.tuple(fc.nat(4), fc.nat(4)), { maxLength: 3 }),
    runBudget,
  )
  .map(([steps, moves, whole]) => {
    const ids = steps.map((_, index) => `s${index}`);
    const loops: Record<string, unknown> = {};
    const plain = steps.map((step, index) => {
      const id = `s${index}`;
      const way = (given: unknown) => (isTarget(given) ? routeFrom(ids, index, given.target) : given);
      if ("subSteps" in step) {
        const { subSteps, ...rest } = step;
        loops[id] = subSteps.map(
          (each, place) => ({ id: `p${place}`, ...each, on_fail: way(each.on_fail) }) as SubStep,
        );
        return { id, ...rest, on_fail: way(rest.on_fail) };
      }
      if ("run" in step) return { id, ...step, on_fail: way(step.on_fail) };
      if (!("targets" in step)) {
        return { id, instructions: "Again, after {outputs.s0}", ...step, on_fail: way(step.on_fail) };
      }
      const { targets, ...rest } = step;
      const words = [...ids, "next", "complete", "fail"];
      const outcomes = Object.fromEntries(targets.map((target, n) => [`o${n}`, words[target % words.length]]));
      return { id, instructions: "Act", ...rest, on_fail: way(rest.on_fail), ...(targets.length > 0 && { outcomes }) };
    });
    const transitions = [...new Map(moves.map(([a, b]) => [`${a % ids.length}-${b % ids.length}`, [a, b]])).values()];
    return parse({
      name: "random",
      description: "a random workflow",
      variables: { mode: "quick" },
      budget: whole,
      loops,
      steps: plain,
      transitions: transitions.map(([a = 0, b = 0]) => ({
        from: ids[a % ids.length],
        to: ids[b % ids.length],
        context: "clear",
      })),
    });
  });

function isTarget(given: unknown): given is { readonly target: number } {
  return typeof given === "object" && given !== null && "target" in given;
}

/** Another step than its own; a workflow of one step has none, and asks a person. */
function routeFrom(ids: readonly string[], index: number, target: number): unknown {
  const others = ids.filter((_, other) => other !== index);
  return others.length === 0 ? undefined : { go_to: others[target % others.length] };
}

function parse(value: unknown): Template {
  const reading = loadTemplate(JSON.stringify(value));
  if (!reading.ok) throw new Error(JSON.stringify(reading.problems));
  return reading.template;
}
