import { describe, expect, test } from "vitest";
import { decide } from "../../../src/engine/commands/decide.ts";
import { replay } from "../../../src/engine/evolve/evolve.ts";
import { wordRefusal } from "../../../src/model/refusal/refusal.ts";
import { StartedRun } from "../../../src/model/run.ts";
import { isLive } from "../../../src/model/run-state.ts";
import { type Driver, drive } from "../drive.ts";

const by = "ada";
const law = `
steps:
  - { id: plan, type: action, phase: Plan, instructions: Plan it, budget: { minutes: 30 } }
  - { id: check, type: action, phase: Plan, instructions: Check it, outcomes: { good: build, bad: plan } }
  - { id: build, type: action, phase: Build, instructions: Build it }
`;

const ask = (question: string) => ({ type: "ask", question }) as const;
const answer = (text: string, question?: string) => ({ type: "answer", answer: text, question, by }) as const;
const asking = (question = "Which database?"): Driver => drive(law).ok(ask(question));

describe("a question", () => {
  test("parks the visit: the run waits, and the status says for what", () => {
    const driver = asking("  Which database?\nAnd why?  ");
    expect(driver.run.status).toBe("waiting");
    expect(driver.events.at(-1)).toMatchObject({
      type: "question-asked",
      id: "q1",
      token: "plan#1",
      step: "plan",
      question: "Which database?\nAnd why?",
    });
    expect(driver.status()).toMatchObject({
      status: "waiting",
      token: "plan#1",
      question: { id: "q1", text: "Which database?\nAnd why?" },
      phase: { status: "blocked" },
    });
    expect(driver.status().instructions).toContain(
      "This step waits for the answer to q1:\n> Which database?\n> And why?\nAsk the person, wait,",
    );
  });

  test.each([{}, { failed: true }])("lets nothing advance until it is answered (%j)", (how) => {
    const driver = asking();
    const decision = driver.send({ type: "advance", output: "", ...how });
    expect(decision).toEqual({
      ok: false,
      refusal: { code: "answer-needed", token: "plan#1", question: "q1", text: "Which database?" },
    });
    expect(decision.ok ? "" : wordRefusal(decision.refusal).message).toBe(
      'this visit is waiting for the answer to q1: "Which database?"',
    );
  });

  test("at a loop that asks for its tasks lets none be set", () => {
    const driver = drive("loops: { build: [{ id: one, instructions: x }] }\nsteps: [{ id: build, type: loop }]");
    const set = { type: "set-tasks", loop: "build", tasks: [{ id: "a", title: "A" }] } as const;
    expect(driver.ok(ask("How many?")).no(set)).toBe("answer-needed");
    expect(driver.ok(answer("one")).ok(set).visit().token).toBe("build/a/one#1");
  });

  test("spends no minutes while it waits", () => {
    const driver = asking();
    driver.pass(600);
    expect(driver.send({ type: "open-review" })).toMatchObject({ ok: true, events: [] });
    driver.ok(answer("PostgreSQL"));
    driver.pass(29);
    expect(driver.done().visit().token).toBe("check#1");
  });

  test("asked once more in the same words is the same question", () => {
    const driver = asking();
    expect(driver.send(ask(" Which database? "))).toMatchObject({ ok: true, events: [] });
  });

  test("that begins as a long one and ends otherwise is another question", () => {
    const long = "Which of these? ".repeat(200);
    const driver = asking(`${long}One.`);
    expect(driver.send(ask(`${long}One.`))).toMatchObject({ ok: true, events: [] });
    driver.ok(ask(`${long}Two.`));
    expect(driver.events.at(-1)).toMatchObject({ type: "question-asked", id: "q2", question: `${long}Two.` });
    expect(driver.status().question?.id).toBe("q2");
  });

  test("spends no turns and no tokens while it waits", () => {
    const driver = drive("steps: [{ id: a, type: action, instructions: x, budget: { turns: 2, tokens: 10 } }]");
    const turn = { type: "count", turns: 1, tokens: 4 } as const;
    driver.ok(ask("Which database?"));
    for (let n = 0; n < 3; n++) driver.ok(turn);
    driver.ok(answer("PostgreSQL")).ok(turn);
    expect(driver.run.status).toBe("running");
    expect(driver.ok(turn).run.status).toBe("review");
  });

  test("takes the place of one that is still open, and an answer to that one is refused", () => {
    const driver = asking().ok(ask("Which port?"));
    expect(driver.status().question).toEqual({ id: "q2", text: "Which port?" });
    expect(driver.send(answer("PostgreSQL", "q1"))).toEqual({
      ok: false,
      refusal: { code: "question-not-open", question: "q1", open: ["q2"] },
    });
    expect(driver.ok(answer("5432", "q2")).run.status).toBe("running");
    expect(wordRefusal({ code: "question-not-open", question: "q1", open: [] }).message).toBe(
      '"q1" is not open: it was answered, withdrawn or replaced, or its visit has ended',
    );
  });

  test("is not asked of a run that is paused or in review", () => {
    expect(drive(law).ok({ type: "pause", by }).no(ask("What?"))).toBe("run-paused");
    const driver = drive(law);
    driver.pass(31);
    expect(driver.ok({ type: "open-review" }).no(ask("What?"))).toBe("review-needed");
  });

  test("can be taken back: the visit goes on without an answer", () => {
    const driver = asking().ok({ type: "withdraw", by });
    expect(driver.events.at(-1)).toMatchObject({ type: "question-withdrawn", id: "q1", by });
    expect(driver.run.status).toBe("running");
    expect(driver.status().instructions).not.toContain("database");
    expect(driver.no({ type: "withdraw", by })).toBe("question-not-open");
  });

  test("goes with its visit when a person moves the run on", () => {
    const driver = asking().ok({ type: "goto", step: "build", by, reason: "enough" });
    expect(driver.run.status).toBe("running");
    expect(driver.no(answer("too late", "q1"))).toBe("question-not-open");
  });

  test("is refused to a session whose visit is over, in words that do not speak of a token", () => {
    const driver = drive(law).ok({ type: "hand-out", session: "A" });
    driver.ok({ type: "goto", step: "build", by, reason: "enough" });
    const decision = driver.send({ ...ask("What now?"), session: "A" });
    expect(decision).toEqual({
      ok: false,
      refusal: { code: "step-stale", sent: "plan#1", spent: false, open: ["build#1"], seat: true },
    });
    expect(decision.ok ? null : wordRefusal(decision.refusal)).toEqual({
      message: "the visit given to this session, plan#1, has ended",
      next: "run `holdfast next` to get the current work, build#1",
    });
  });

  test("still waits after a pause", () => {
    const driver = asking().ok({ type: "pause", by }).ok({ type: "resume", by });
    expect(driver.run.status).toBe("waiting");
  });
});

describe("an answer", () => {
  test("goes on at the same visit, with question and answer in its instructions", () => {
    const driver = asking().ok(answer(" PostgreSQL,\nas elsewhere "));
    expect(driver.events.at(-1)).toMatchObject({ type: "question-answered", id: "q1", token: "plan#1", by });
    expect(driver.visit().token).toBe("plan#1");
    expect(driver.status().question).toBeUndefined();
    expect(driver.status().instructions).toContain(
      "Answered questions of this phase:\nq1\n> Which database?\nanswer (ada)\n> PostgreSQL,\n> as elsewhere",
    );
  });

  test("stays before the agent until the phase ends", () => {
    const driver = asking().ok(answer("PostgreSQL")).done();
    expect(driver.status().instructions).toContain("> PostgreSQL");
    driver.ok({ type: "advance", output: "", outcome: "bad" });
    expect(driver.status()).toMatchObject({ token: "plan#2" });
    expect(driver.status().instructions).toContain("> PostgreSQL");
    driver.done().ok({ type: "advance", output: "", outcome: "good" });
    expect(driver.events.at(-2)).toMatchObject({ type: "carry-ended", slot: "answers" });
    expect(driver.status()).toMatchObject({ token: "build#1" });
    expect(driver.status().instructions).not.toContain("PostgreSQL");
  });

  test("sent again in the same words changes nothing; in other words it is refused", () => {
    const driver = asking().ok(answer("PostgreSQL", "q1"));
    expect(driver.send(answer("PostgreSQL ", "q1"))).toMatchObject({ ok: true, events: [] });
    expect(driver.no(answer("SQLite", "q1"))).toBe("question-not-open");
  });

  test("that begins as a long one and ends otherwise is another answer", () => {
    const long = "All of it. ".repeat(300);
    const driver = asking().ok(answer(`${long}One.`, "q1"));
    expect(driver.send(answer(`${long}One.`, "q1"))).toMatchObject({ ok: true, events: [] });
    expect(driver.no(answer(`${long}Two.`, "q1"))).toBe("question-not-open");
  });

  test("in a state that an older version kept is known by what is kept of it", () => {
    const { run, template } = asking().ok(answer("PostgreSQL"));
    if (!isLive(run)) throw new Error("not live");
    const older = { ...run, questions: run.questions.map(({ fingerprint: _later, ...question }) => question) };
    expect(StartedRun.safeParse(older).success).toBe(true);
    const again = decide(template, older, answer("PostgreSQL", "q1"), run.updatedAt);
    expect(again).toMatchObject({ ok: true, events: [] });
  });

  test("to nothing is refused, with what to do", () => {
    const decision = drive(law).send(answer("42"));
    expect(decision.ok ? null : wordRefusal(decision.refusal)).toEqual({
      message: "no question is open",
      next: "run `holdfast status` to see the run",
    });
  });

  test("may come while the run is paused, and counts when it is resumed", () => {
    const driver = asking().ok({ type: "pause", by }).ok(answer("PostgreSQL"));
    expect(driver.run.status).toBe("paused");
    expect(driver.ok({ type: "resume", by }).status().instructions).toContain("> PostgreSQL");
  });

  test("of the last eight questions is kept; the journal has the others", () => {
    const driver = drive(law);
    for (let n = 1; n <= 9; n++) driver.ok(ask(`Question ${n}?`)).ok(answer(`Answer ${n}`));
    const { instructions } = driver.status();
    expect(instructions).not.toContain("> Answer 1\n");
    for (let n = 2; n <= 9; n++) expect(instructions).toContain(`> Answer ${n}`);
    expect(driver.events.filter(({ type }) => type === "question-answered")).toHaveLength(9);
  });

  test("that is long is cut in the state, on whole characters, and marked", () => {
    const driver = asking().ok(answer("🎉".repeat(3_000)));
    expect(driver.status().instructions).toMatch(/> (🎉)+… \[10\d\d more characters were cut\]/u);
    expect(driver.events.at(-1)).toMatchObject({ answer: "🎉".repeat(3_000) });
  });
});

test("questions and answers are told again from the events alone", () => {
  const driver = asking().ok(answer("PostgreSQL")).ok(ask("Which port?"));
  expect(replay(JSON.parse(JSON.stringify(driver.events)))).toEqual(driver.run);
});
