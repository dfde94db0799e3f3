import { readdirSync, rmSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { type CodedProject, createCoded, occurrences, sentIn, stepOf, story } from "./coded.ts";
import type { ModelAnswer } from "./model/answer.ts";
import type { ModelRequest } from "./model/request.ts";

const call = (name: string, input: Record<string, unknown>): ModelAnswer => ({ calls: [{ name, input }] });
const done = (output: string, more: Record<string, unknown> = {}) => call("done", { output, ...more });

/** Answers each step with the next of its answers. */
function answers(script: Readonly<Record<string, readonly ModelAnswer[]>>) {
  const taken = new Map<string, number>();
  return (request: ModelRequest): ModelAnswer => {
    const step = stepOf(request);
    const index = taken.get(step) ?? 0;
    taken.set(step, index + 1);
    const answer = script[step]?.[index];
    if (answer === undefined) throw new Error(`${step} has no answer ${index}`);
    return answer;
  };
}

const code = (project: CodedProject, ...words: string[]) =>
  project.holdfast(["code", ...words, "--model", project.agent.slice("model:".length), "--yes"], {
    env: project.settings,
  });

const runOf = (project: CodedProject) => readdirSync(`${project.root}/.holdfast/runs`)[0] ?? "";

async function answered(project: CodedProject, words: string) {
  expect(await project.person("answer", words)).toMatchObject({ code: 0 });
  return code(project, "--resume", runOf(project));
}

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
