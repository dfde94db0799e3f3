import { describe, expect, test } from "vitest";
import { drive } from "../drive.ts";

const law = `
steps:
  - { id: plan, type: action, instructions: Plan }
  - id: review
    type: action
    instructions: "Review {outputs.plan}"
    outcomes: { approved: build, fine: next, again: review, rework: plan, enough: complete, hopeless: fail }
  - { id: notes, type: action, instructions: Notes }
  - { id: build, type: action, instructions: Build }
`;
const atReview = () => drive(law).done("plan one");
const answer = (outcome: string, output = "") => ({ type: "advance", output, outcome }) as const;

describe("an outcome leads", () => {
  test.each([
    ["approved", "build#1"],
    ["fine", "notes#1"],
    ["again", "review#2"],
    ["rework", "plan#2"],
  ])("%s to %s", (outcome, token) => {
    expect(atReview().ok(answer(outcome)).visit().token).toBe(token);
  });

  test("to the end of the run, with the later steps never entered", () => {
    const driver = atReview().ok(answer("enough"));
    expect(driver.run).toMatchObject({ status: "complete" });
    expect(Object.keys((driver.run as { steps: object }).steps)).toEqual(["plan", "review"]);
  });

  test.each([
    ["no test holds", "Workflow failed at review: no test holds"],
    ["", "Workflow failed at review: hopeless"],
  ])("to failure, which says where and why (%j)", (output, text) => {
    const driver = atReview().ok(answer("hopeless", output));
    expect(driver.run).toMatchObject({ status: "failed", steps: { review: { status: "failed" } } });
    expect(driver.status().instructions).toBe(text);
  });
});

describe("a step with outcomes", () => {
  const known = ["approved", "fine", "again", "rework", "enough", "hopeless"];

  test("cannot advance without one, and names them", () => {
    expect(atReview().send({ type: "advance", output: "" })).toEqual({
      ok: false,
      refusal: { code: "outcome-needed", step: "review", known },
    });
  });

  test.each(["nope", "", "Approved", "next", "complete", "constructor", "__proto__", "toString"])(
    "refuses %j, and names its own",
    (outcome) => {
      expect(atReview().send(answer(outcome))).toEqual({
        ok: false,
        refusal: { code: "outcome-unknown", outcome, known },
      });
    },
  );

  test("shows them in its status and in the reminder", () => {
    const status = atReview().status();
    expect(status.outcomes).toEqual(known);
    expect(status.instructions).toContain("one of the outcomes approved, fine, again, rework, enough, hopeless.");
  });

  test("fails without one, and refuses one with a failure", () => {
    const driver = atReview();
    expect(driver.no({ ...answer("approved"), failed: true })).toBe("outcome-unexpected");
    expect(driver.ok({ type: "advance", output: "lost", failed: true }).run.status).toBe("waiting");
  });

  test("records the outcome with the answer", () => {
    const driver = atReview().ok(answer("rework", "too vague"));
    expect(driver.events.findLast((event) => event.type === "visit-ended")).toMatchObject({
      token: "review#1",
      outcome: "rework",
      output: "too vague",
    });
  });
});

test("a step without outcomes refuses one", () => {
  expect(drive(law).send(answer("next"))).toEqual({
    ok: false,
    refusal: { code: "outcome-unexpected", outcome: "next", failed: false },
  });
});

test("going back starts a new visit, and the outputs of both are kept", () => {
  const driver = atReview().ok(answer("rework")).done("plan two");
  const plans = driver.events.flatMap((event) =>
    event.type === "visit-ended" && event.key === "plan" ? [[event.token, event.output]] : [],
  );
  expect(plans).toEqual([
    ["plan#1", "plan one"],
    ["plan#2", "plan two"],
  ]);
  expect(driver.status().instructions).toContain("Review plan two");
});
