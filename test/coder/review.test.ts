import { describe, expect, test } from "vitest";
import { createCoded, occurrences, sentIn, stepOf, story } from "./coded.ts";
import type { ModelRequest } from "./model/request.ts";
import { answered, answers, call, code, runOf } from "./review-answers.ts";

const done = (output: string, more: Record<string, unknown> = {}) => call("done", { output, ...more });

describe("reviews by a person", () => {
  test("approve, send back with feedback and reject, and no model is asked for them", async () => {
    const noTest = 'The plan has no "test".';
    const wrong = "It greets twice; make another plan.";
    const project = await createCoded({
      answer: answers({
        PLANNING: [
          // A model that would rather be judged by itself.
          call("done", { output: "PLAN ONE", variables: { review: "model" } }),
          call("submit_plan", { plan: "PLAN TWO" }),
          call("submit_plan", { plan: "PLAN THREE" }),
        ],
        CODING: [done("Coded."), done("Coded again."), done("Coded as in the third plan.")],
        TESTING: ["1", "2", "3"].map((output) => done(output, { outcome: "passed" })),
      }),
    });
    const waits = await code(project, story, "--review", "human");
    expect(waits.code).toBe(4);
    const said = waits.stdout.replace(/\s+/g, " ");
    expect(said).toContain(
      'Answer "APPROVED", "NEEDS_CHANGES: <what has to change>" or "REJECTED: <what has to change>".',
    );
    expect(said).toContain(`holdfast answer --run ${runOf(project)} "..."`);
    const shown = await project.holdfast(["context", "--run", runOf(project)], { env: project.settings });
    expect(shown.stdout).toContain("PLAN ONE");

    // What is no verdict is asked for again.
    expect(await answered(project, "Looks good")).toMatchObject({ code: 4, stdout: expect.stringContaining("Looks") });
    expect(await answered(project, `NEEDS_CHANGES: ${noTest}`)).toMatchObject({ code: 4 });
    expect(await answered(project, "APPROVED: keep it short")).toMatchObject({ code: 4 });
    expect(await answered(project, "needs_changes - Say hello once.")).toMatchObject({ code: 4 });
    expect(await answered(project, `REJECTED: ${wrong}`)).toMatchObject({ code: 4 });
    expect(await answered(project, "approved")).toMatchObject({ code: 4 });
    expect(await answered(project, "Approved.")).toMatchObject({
      code: 0,
      stdout: expect.stringContaining("complete"),
    });

    const { requests } = project.model;
    const of = (step: string) => requests.filter((request) => stepOf(request) === step);
    expect(requests.map(stepOf).filter((step) => step.endsWith("REVIEW"))).toEqual([]);
    const [, second, third] = of("PLANNING");
    expect(second?.system).toContain(`**[PLAN_REVIEW_FEEDBACK]:** ${JSON.stringify(noTest)}`);
    expect(occurrences(sentIn(second as ModelRequest), "The plan has no")).toBe(1);
    expect(third?.system).toContain(`**[CODE_REVIEW_FEEDBACK]:** "${wrong}"`);
    expect(occurrences(sentIn(third as ModelRequest), wrong)).toBe(1);
    const [coding, again] = of("CODING");
    // Cleared as after a review by the model, with the plan and what was said with its approval.
    expect(coding?.messages).toHaveLength(1);
    expect(coding?.system).toContain("PLAN TWO");
    expect(coding?.system).toContain('**[PLAN_REVIEW_FEEDBACK]:** "keep it short"');
    expect(again?.system).toContain('**[CODE_REVIEW_FEEDBACK]:** "Say hello once."');
    expect(again?.messages[0]).toEqual(coding?.messages[0]);
  });

  test("an answer that an agent passes on does not count", async () => {
    const project = await createCoded({ answer: answers({ PLANNING: [call("submit_plan", { plan: "PLAN" })] }) });
    expect(await code(project, story, "--review", "human")).toMatchObject({ code: 4 });
    const env = project.settings;
    expect(await project.holdfast(["answer", "APPROVED"], { env })).toMatchObject({ code: 0 });
    expect(await code(project, "--resume", runOf(project))).toMatchObject({
      code: 4,
      stdout: expect.stringContaining("only a person's own counts"),
    });
  });

  test.each([
    [["The list is empty", "--workflow", "bugfix", "--review", "human"], '"bugfix" does not'],
    [[story, "--review", "nobody"], "--review must be one of model, human"],
    [["--resume", "coder-1", "--review", "human"], "--resume takes no --review"],
  ])("%j is refused", async (words, message) => {
    const project = await createCoded({ answer: () => ({}) });
    expect(await code(project, ...words)).toMatchObject({ code: 2, stderr: expect.stringContaining(message) });
    expect(project.model.requests).toEqual([]);
  });
});
