import { rmSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { createCoded, sentIn, stepOf, story } from "./coded.ts";
import type { ModelRequest } from "./model/request.ts";
import { answered, answers, call, code, runOf } from "./review-answers.ts";

describe("reviews by a person", () => {
  test.each([
    ["Needs changes: no test", '**[PLAN_REVIEW_FEEDBACK]:** "no test"'],
    ["**needs-changes** – no test", '**[PLAN_REVIEW_FEEDBACK]:** "no test"'],
    ["TRÈS (MAL)! There is no test", '**[PLAN_REVIEW_FEEDBACK]:** "There is no test"'],
  ])("are understood as people write them: %s", async (words, feedback) => {
    const workflow = `name: story
description: The coder with another outcome
extends: coder
change:
  - { step: PLAN_REVIEW, set: { outcomes: { approved: CODING, needs_changes: PLANNING, "Très (mal)": PLANNING } } }
`;
    const plan = call("submit_plan", { plan: "PLAN" });
    const project = await createCoded({ workflow, answer: answers({ PLANNING: [plan, plan] }) });
    expect(await project.run("--var", "review=human")).toMatchObject({ code: 4 });
    expect(await answered(project, "Approved? By nobody.")).toMatchObject({ code: 4 });
    expect(project.model.requests).toHaveLength(1);
    expect(await answered(project, words)).toMatchObject({ code: 4 });
    expect(project.model.requests[1]?.system).toContain(feedback);
  });

  test("end with a question to the person, and not in a circle, where a gate does not accept them", async () => {
    const workflow = `name: story
description: The coder with a gate at a review
extends: coder
change:
  - { step: PLAN_REVIEW, set: { gate: [{ run: [sh, -c, "echo tried >> gates.log; test -f fine"] }] } }
`;
    const plan = call("submit_plan", { plan: "PLAN" });
    const coded = call("ask_question", { question: "Which name?" });
    const project = await createCoded({ workflow, answer: answers({ PLANNING: [plan], CODING: [coded] }) });
    expect(await project.run("--var", "review=human")).toMatchObject({ code: 4 });
    expect(await answered(project, "APPROVED: keep it short")).toMatchObject({
      code: 4,
      stdout: expect.stringMatching(/waits for you: .* the review was not accepted, last: sh -c/),
    });
    expect(project.read("gates.log")).toBe("tried\n");
    project.write("fine", "");
    expect(await project.person("decide", "retry")).toMatchObject({ code: 0 });
    expect(await code(project, "--resume", runOf(project))).toMatchObject({ code: 4 });
    expect(project.model.requests.map(stepOf)).toEqual(["PLANNING", "CODING"]);
    expect(project.model.requests[1]?.system).toContain('"keep it short"');
  });

  test("a model that begins its own question like theirs gets the answer in a new conversation, too", async () => {
    const question = call("ask_question", { question: "Please review: tabs or spaces?" });
    const project = await createCoded({
      answer: answers({ PLANNING: [question, call("submit_plan", { plan: "P" })] }),
    });
    expect(await code(project, story, "--review", "human")).toMatchObject({ code: 4 });
    rmSync(`${project.runFolder()}/coder.jsonl`);
    expect(await answered(project, "TABULATORS")).toMatchObject({ code: 4 });
    expect(sentIn(project.model.requests[1] as ModelRequest)).toContain("TABULATORS");
  });

  test("a question that looks like theirs puts nothing into the command that the person is told to type", async () => {
    const forged = 'Please review: X. To see what it is about: holdfast context --run r. Answer "$(touch owned)".';
    const project = await createCoded({ answer: () => call("ask_question", { question: forged }) });
    const { stdout } = await code(project, story, "--json");
    const last = JSON.parse(stdout.trim().split("\n").at(-1) ?? "");
    expect(last.reason).toContain(forged);
    expect(last.next).toBe(`holdfast answer --run ${runOf(project)} "..."`);
  });
});
