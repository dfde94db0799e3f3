import { describe, expect, test } from "vitest";
import { decide } from "../../../src/engine/commands/decide.ts";
import { evolve } from "../../../src/engine/evolve/evolve.ts";
import type { Command } from "../../../src/model/command.ts";
import { type Driver, drive, hash, template } from "../drive.ts";

const law = `
loops: { build: [{ id: one, instructions: x }, { id: two, instructions: x }] }
steps:
  - { id: plan, type: action, instructions: x }
  - { id: build, type: loop }
  - { id: polish, type: ralph, n: 3, instructions: x }
  - { id: ship, type: action, instructions: x, gate: [{ approval: human }] }
`;
const by = "ann";
const goTo = (step: string) => ({ type: "goto", step, by, reason: "as I say" }) as const;
const set = { type: "set-tasks", loop: "build", tasks: [{ id: "a", title: "A" }] } as const;

describe("pause and resume", () => {
  test("stop the run and let it go on where it stood, with who and why recorded", () => {
    const driver = drive(law).done().ok(set);
    const before = driver.visit().token;
    driver.ok({ type: "pause", by, reason: "lunch" });
    expect(driver.run).toMatchObject({ status: "paused", reason: "lunch" });
    expect(driver.events.at(-1)).toMatchObject({ type: "run-paused", by, reason: "lunch" });
    expect(driver.status()).toMatchObject({ status: "paused", token: before, phase: { status: "blocked" } });
    driver.ok({ type: "resume", by });
    expect(driver.run).not.toHaveProperty("reason");
    expect(driver.visit().token).toBe(before);
    expect(driver.done().visit().token).toBe("build/a/two#1");
  });

  test.each<[string, Command]>([
    ["an advance", { type: "advance", output: "" }],
    ["a failure", { type: "advance", output: "", failed: true }],
    ["tasks", set],
    ["another pause", { type: "pause", by }],
  ])("refuse %s meanwhile, with the reason", (_, command) => {
    const driver = drive(law).ok({ type: "pause", by, reason: "lunch" });
    expect(driver.send(command)).toEqual({ ok: false, refusal: { code: "run-paused", reason: "lunch" } });
  });

  test("need no reason", () => {
    expect(drive(law).ok({ type: "pause", by }).run).toMatchObject({ status: "paused", reason: null });
  });

  test("that do not fit are refused with the status", () => {
    expect(drive(law).send({ type: "resume", by })).toEqual({
      ok: false,
      refusal: { code: "run-not-paused", status: "running" },
    });
  });

  test("bring a waiting run back to its waiting", () => {
    const driver = drive(law).ok(goTo("ship")).ok({ type: "request-approval" }).ok({ type: "pause", by });
    expect(driver.run.status).toBe("paused");
    expect(driver.ok({ type: "resume", by }).run.status).toBe("waiting");
  });
});

describe("abort", () => {
  test.each<[string, (driver: Driver) => Driver]>([
    ["running", (driver) => driver],
    ["waiting", (driver) => driver.ok(goTo("ship")).ok({ type: "request-approval" })],
    ["paused", (driver) => driver.ok({ type: "pause", by, reason: "lunch" })],
  ])("ends a %s run with its reason, for good", (_, bring) => {
    const driver = bring(drive(law)).ok({ type: "abort", by, reason: "no longer wanted" });
    expect(driver.run).toMatchObject({ status: "aborted", reason: "no longer wanted" });
    expect(driver.events.at(-1)).toMatchObject({ type: "run-aborted", by, reason: "no longer wanted" });
    expect(driver.status()).toMatchObject({ status: "aborted", token: null });
    expect(driver.status().instructions).toBe("Workflow aborted: no longer wanted");
    expect(driver.no({ type: "resume", by })).toBe("run-ended");
  });
});

describe("goto", () => {
  test.each([
    ["plan", "plan#2"],
    ["build", "build#1"],
    ["polish", "polish/1#1"],
    ["ship", "ship#1"],
  ])("enters %s anew, and records who and why", (step, token) => {
    const driver = drive(law).ok(goTo(step));
    expect(driver.visit().token).toBe(token);
    expect(driver.events.slice(2)).toMatchObject([
      { type: "run-redirected", to: step, by, reason: "as I say" },
      { type: "visit-closed", token: "plan#1", reason: "goto" },
      { type: "visit-entered", token },
    ]);
  });

  test.each(["nowhere", "one", "", "constructor", "__proto__", "next"])("refuses %j and names the steps", (step) => {
    expect(drive(law).send(goTo(step))).toEqual({
      ok: false,
      refusal: { code: "step-unknown", step, known: ["plan", "build", "polish", "ship"] },
    });
  });

  test("does not count the step it leaves as done", () => {
    expect(drive(law).ok(goTo("ship")).run).toMatchObject({ steps: { plan: { status: "left" } } });
  });

  test("leaves a paused run paused, at the new step", () => {
    const driver = drive(law).ok({ type: "pause", by, reason: "lunch" }).ok(goTo("ship"));
    expect(driver.run).toMatchObject({ status: "paused", reason: "lunch" });
    expect(driver.visit().token).toBe("ship#1");
  });

  test("takes a waiting run out of its waiting", () => {
    const driver = drive(law).ok(goTo("ship")).ok({ type: "request-approval" }).ok(goTo("plan"));
    expect(driver.run.status).toBe("running");
  });
});

describe("adopt", () => {
  const newHash = "sha256:fedcba9876543210";
  const at = "2026-01-01T00:00:00.000Z";
  const other = (steps: string, loops = "") => template(`${loops}\nsteps: [${steps}]`);
  const adopt = (driver: Driver, changed: string, loops?: string) =>
    decide(other(changed, loops), driver.run, { type: "adopt", templateHash: newHash, by }, at);

  const atPlan = () => drive(law);
  const atLoop = () => drive(law).done();
  const inTask = () => drive(law).done().ok(set).done();
  const inRalph = () => drive(law).ok(goTo("polish")).done();

  const action = (id: string) => `{ id: ${id}, type: action, instructions: y }`;
  const loop = "{ id: build, type: loop }";
  const ralph = (n: number) => `{ id: polish, type: ralph, n: ${n}, instructions: y }`;
  const loops = (...ids: string[]) => `loops: { build: [${ids.map((id) => `{ id: ${id}, instructions: y }`)}] }`;

  test.each<[string, () => Driver, string, string | undefined]>([
    ["at an action", atPlan, `${action("new")}, ${action("plan")}`, undefined],
    ["at a loop without tasks", atLoop, loop, loops("other")],
    ["in a task", inTask, loop, loops("new", "two")],
    ["in an iteration", inRalph, ralph(2), undefined],
  ])("takes the new template %s that it still has, and records it", (_, begin, steps, subSteps) => {
    expect(adopt(begin(), steps, subSteps)).toMatchObject({
      ok: true,
      events: [{ type: "template-adopted", templateHash: newHash, by }],
    });
  });

  test.each<[string, () => Driver, string, string | undefined, string, string]>([
    ["without the step", atPlan, action("other"), undefined, "plan", 'it has no step "plan"'],
    [
      "with another type",
      atPlan,
      "{ id: plan, type: ralph, n: 2, instructions: y }",
      undefined,
      "plan",
      'its step "plan" is of type ralph, not action',
    ],
    [
      "with an action for the loop",
      atLoop,
      action("build"),
      undefined,
      "build",
      'its step "build" is of type action, not loop',
    ],
    [
      "with an action for the loop of a task",
      inTask,
      action("build"),
      undefined,
      "build",
      'its step "build" is of type action, not loop',
    ],
    ["without the sub-step", inTask, loop, loops("one", "three"), "build", 'its loop "build" has no sub-step "two"'],
    [
      "with fewer iterations than are done",
      inRalph,
      ralph(1),
      undefined,
      "polish",
      'its step "polish" has 1 iterations, and the run is at 2',
    ],
  ])("refuses one %s, and says what is missing", (_, begin, steps, subSteps, step, problem) => {
    expect(adopt(begin(), steps, subSteps)).toEqual({ ok: false, refusal: { code: "template-unfit", step, problem } });
  });

  test("of the template that the run has already changes nothing", () => {
    const driver = drive(law);
    expect(driver.send({ type: "adopt", templateHash: hash, by })).toMatchObject({ ok: true, events: [] });
  });

  test("is kept by the run, which then follows the new law", () => {
    const steps = `${ralph(2)}, ${action("extra")}`;
    const driver = inRalph();
    const adopted = adopt(driver, steps);
    if (!adopted.ok) throw new Error("must fit");
    const run = adopted.events.reduce(evolve, driver.run);
    expect(run).toMatchObject({ templateHash: newHash });
    expect(decide(other(steps), run, { type: "advance", output: "" }, at)).toMatchObject({
      refusal: { code: "instructions-not-taken" },
    });
    const handed = decide(other(steps), run, { type: "hand-out" }, at);
    if (!handed.ok) throw new Error("must be handed out");
    const next = decide(other(steps), handed.run, { type: "advance", output: "" }, at);
    expect(next.ok && next.events.at(-1)).toMatchObject({ type: "visit-entered", token: "extra#1" });
  });
});
