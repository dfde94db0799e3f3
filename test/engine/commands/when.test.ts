import { describe, expect, test } from "vitest";
import { decide } from "../../../src/engine/commands/decide.ts";
import { replay } from "../../../src/engine/evolve/evolve.ts";
import { type Driver, drive, hash, open, runId, template } from "../drive.ts";

/** The steps of a run so far: those that were entered, and in brackets those that were skipped. */
function path({ events }: Driver): string {
  return events
    .flatMap((event) => {
      if (event.type === "visit-entered") return [event.token.replace(/#.*/, "")];
      if (event.type !== "step-skipped") return [];
      const { place } = event;
      return [place.type === "sub-step" ? `(${place.step}/${place.task}/${place.subStep})` : `(${place.step})`];
    })
    .join(" ");
}

const reviewed = (when: string) => `
variables: { mode: quick, count: 3 }
steps:
  - { id: review, type: action, instructions: Review, outcomes: { ok: next, bad: next } }
  - { id: fix, type: action, instructions: Fix, when: "${when}" }
  - { id: ship, type: action, instructions: Ship }
`;

describe("a step is entered only if its condition is true", () => {
  test.each([
    ["vars.mode == 'quick'", true],
    ["variables.mode == 'full'", false],
    ["vars.mode in ['full', 'quick']", true],
    ["vars.count > 3", false],
    ["outcomes.review == 'bad'", true],
    ["outcomes.review == 'ok'", false],
    ["outputs.review contains 'two bugs'", true],
    ["outputs.review contains 'three'", false],
    ["size outputs.review > 5", true],
    ["outputs.ship == null", true],
    ["run.workflow == 'test' && run.id != null", true],
    ["state.steps.review.status == 'done'", true],
  ])("%s is %s", (when, expected) => {
    const driver = drive(reviewed(when));
    driver.ok({ type: "advance", output: "found two bugs", outcome: "bad" });
    expect(path(driver)).toBe(expected ? "review fix" : "review (fix) ship");
    expect(replay(driver.events)).toEqual(driver.run);
  });
});

test("the event says which condition was false, and the step counts as skipped", () => {
  const driver = drive(reviewed("outcomes.review == 'bad'"));
  driver.ok({ type: "advance", output: "", outcome: "ok" });
  expect(driver.events).toContainEqual(
    expect.objectContaining({
      type: "step-skipped",
      place: { type: "action", step: "fix" },
      when: "outcomes.review == 'bad'",
    }),
  );
  expect(driver.run).toMatchObject({ steps: { fix: { visits: 0, status: "skipped" } } });
});

test("a replay does not read the condition again: the event decides", () => {
  const driver = drive(reviewed("vars.mode == 'full'"));
  driver.ok({ type: "advance", output: "", outcome: "ok" });
  const other = driver.events.map((event) => (event.type === "run-started" ? { ...event, variables: {} } : event));
  expect(replay(other)).toMatchObject({ steps: { fix: { status: "skipped" } }, last: { step: "ship" } });
});

test("many skipped steps in a row are one decision, and a run whose last steps are skipped is complete", () => {
  const steps = Array.from({ length: 50 }, (_, n) => `  - { id: s${n}, type: action, instructions: x, when: vars.x }`);
  const driver = open(template(`steps:\n${steps.join("\n")}\n`));
  const decision = driver.send({ type: "start", runId, templateHash: hash });
  expect(decision).toMatchObject({ ok: true });
  expect(driver.run).toMatchObject({ status: "complete", last: { step: "s49" } });
  expect(driver.events).toHaveLength(52);
});

test("a variable that an advance sets counts for the next step already", () => {
  const driver = drive(reviewed("vars.mode == 'full'"));
  driver.ok({ type: "advance", output: "", outcome: "ok", variables: { mode: "full" } });
  expect(path(driver)).toBe("review fix");
});

test("an output that is not part of the decision is handed in, and its beginning of 64 KB counts", () => {
  const law = template(`
steps:
  - { id: a, type: action, instructions: x }
  - { id: b, type: action, instructions: x }
  - { id: c, type: action, instructions: x, when: outputs.a contains 'needle' }
`);
  const driver = open(law).ok({ type: "start", runId, templateHash: hash }).done("hay needle").done("b");
  expect(path(driver)).toBe("a b (c)");
  const before = open(law).ok({ type: "start", runId, templateHash: hash }).done("hay needle");
  before.ok({ type: "take-instructions" });
  const next = (a: string) => {
    const decision = decide(law, before.run, { type: "advance", output: "b" }, "2026-01-01T00:00:00.000Z", { a });
    return decision.ok ? decision.run.status : decision.refusal.code;
  };
  expect(next("hay needle")).toBe("running");
  expect(next(`${" ".repeat(65_530)}needle`)).toBe("running");
  expect(next(`${" ".repeat(65_531)}needle`)).toBe("complete");
});

test("the condition is read once, on entry: not for a retry, an iteration or after a variable has changed", () => {
  const driver = drive(`
variables: { go: true }
steps:
  - { id: polish, type: ralph, n: 2, instructions: x, when: vars.go, on_fail: retry }
  - { id: end, type: action, instructions: x }
`);
  driver.ok({ type: "advance", output: "broken", failed: true });
  driver.ok({ type: "take-instructions" }).ok({ type: "advance", output: "", variables: { go: false } });
  expect(path(driver)).toBe("polish/1 polish/2");
});

test("a step that the run comes back to is asked again, and keeps the outcome that it had", () => {
  const driver = drive(`
steps:
  - { id: build, type: action, instructions: x }
  - { id: fix, type: action, instructions: x, when: outcomes.review == 'bad' }
  - { id: review, type: action, instructions: x, outcomes: { ok: next, bad: build } }
`);
  driver.done().ok({ type: "take-instructions" }).ok({ type: "advance", output: "", outcome: "bad" }).done().done();
  expect(path(driver)).toBe("build (fix) review build fix review");
});

const looped = `
loops:
  build:
    - { id: write, instructions: x, when: task.title != 'nothing' }
    - { id: test, instructions: x, when: task.description contains 'code' }
steps:
  - { id: plan, type: action, instructions: x }
  - { id: build, type: loop }
  - { id: end, type: action, instructions: x }
`;

test("sub-steps have conditions on their task; a task without any sub-step left is done", () => {
  const driver = drive(looped);
  const tasks = [
    { id: "t1", title: "one", description: "some code" },
    { id: "t2", title: "nothing" },
    { id: "t3", title: "three" },
  ];
  driver.ok({ type: "set-tasks", loop: "build", tasks }).done().done().done();
  expect(path(driver)).toBe("plan build/t1/write build/t1/test (build/t2/write) (build/t2/test) build/t3/write");
  driver.done();
  expect(path(driver)).toMatch(/ \(build\/t3\/test\) end$/);
  expect(driver.run).toMatchObject({ loops: { build: { status: "finished", next: 3, failed: [] } } });
});

test("a loop with a false condition asks for no tasks", () => {
  const driver = drive(looped.replace("id: build, type: loop", "id: build, type: loop, when: vars.x")).done();
  expect(path(driver)).toBe("plan (build) end");
});

test("a person's goto passes over the condition of its step, and of no other", () => {
  const law = `
steps:
  - { id: a, type: action, instructions: x }
  - { id: b, type: action, instructions: x, when: vars.x }
  - { id: c, type: action, instructions: x, when: vars.x }
  - { id: d, type: action, instructions: x }
`;
  const driver = drive(law).ok({ type: "goto", step: "b", by: "ann", reason: "look" });
  driver.done();
  expect(path(driver)).toBe("a b (c) d");
});

test("the transition that counts is the one from the step that was left, past the skipped ones", () => {
  const driver = drive(`
transitions: [{ from: a, to: c, context: compact }]
steps:
  - { id: a, type: action, instructions: x }
  - { id: b, type: action, instructions: x, when: vars.x }
  - { id: c, type: action, instructions: x }
`).done();
  expect(driver.visit()).toMatchObject({ token: "c#1", action: { name: "compact" } });
});
