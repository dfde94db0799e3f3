import { expect } from "vitest";
import { createCoded, key, occurrences, sentIn, stepOf, story } from "./coded.ts";
import type { ModelAnswer } from "./model/answer.ts";
import type { ModelRequest } from "./model/request.ts";
import type { WireName } from "./model/start.ts";

const firstPlan = "PLAN ONE\n1. Change greet.js.";
const secondPlan = "PLAN TWO\n1. Change greet.js.\n2. Add greet.test.js.";
const thirdPlan = "PLAN THREE\n1. Only greet.js and its test.";
const finding = "FINDING: the plan has no test.";
export const question = "Which greeting do people get?";
const good = 'export const greet = (name) => ["Hello, ", name, "!"].join("");\n';
const tests = `import { test } from "node:test";
import assert from "node:assert";
import { greet } from "./greet.js";
test("greets by name", () => assert.equal(greet("Mara"), "Hello, Mara!"));
`;

export const call = (name: string, input: Record<string, unknown>) => ({ name, input });
export const calls = (...made: ReturnType<typeof call>[]): ModelAnswer => ({ calls: made });
const done = (output: string, outcome?: string) => calls(call("done", { output, ...(outcome && { outcome }) }));

/** The whole story, with everything that happens in it on the way. */
function tell(): (request: ModelRequest) => ModelAnswer {
  const script: Readonly<Record<string, ModelAnswer[]>> = {
    PLANNING: [
      calls(call("read", { path: "README.md" }), call("read", { path: "greet.js" })),
      calls(call("ask_question", { question })),
      calls(call("submit_plan", { plan: firstPlan })),
      calls(call("submit_plan", { plan: secondPlan })),
      calls(call("submit_plan", { plan: thirdPlan })),
    ],
    PLAN_REVIEW: [
      done(finding, "needs_changes"),
      done("The second plan is fine.", "approved"),
      done("So is the third.", "approved"),
    ],
    CODING: [
      calls(call("update_todo_list", { content: "- [ ] greet.js\n- [ ] greet.test.js\n" })),
      calls(call("read", { path: "greet.js" })),
      calls(call("shell", { command: "ls" })),
      calls(call("read", { path: "package.json" })),
      // After the pivot, with a mistake in it.
      calls(call("write", { path: "greet.js", content: good.replace("Hello", "Hallo") })),
      calls(call("write", { path: "greet.test.js", content: tests })),
      done("Wrote both files."),
    ],
    TESTING: [
      done("All tests pass.", "passed"),
      calls(call("edit", { path: "greet.js", old: "Hallo", new: "Hello" })),
      done("Now they really pass.", "passed"),
    ],
    CODE_REVIEW: [done("Nothing to change.", "approved")],
  };
  const taken = new Map<string, number>();
  return (request) => {
    const step = stepOf(request);
    const index = taken.get(step) ?? 0;
    taken.set(step, index + 1);
    const answer = script[step]?.[index];
    if (answer === undefined)
      throw new Error(`${step} has no answer ${index}: ${JSON.stringify(request.messages.at(-1))}`);
    return answer;
  };
}

/** The story comes to its end, and the requests keep the rules of the context. */
export async function expectWholeStory(wire: WireName): Promise<void> {
  const project = await createCoded({ wire, answer: tell() });
  expect(await project.run()).toMatchObject({ code: 4, stdout: expect.stringContaining(question) });
  expect(await project.person("answer", "Hello and the name")).toMatchObject({ code: 0 });
  expect(await project.resume()).toMatchObject({ code: 4, stdout: expect.stringContaining("budget is spent") });
  expect(await project.person("decide", "pivot", "--feedback", "Touch only two files")).toMatchObject({ code: 0 });
  const ended = await project.resume();
  expect(ended.stdout + ended.stderr).toMatch(/complete story-/);
  expect(project.read("greet.js")).toBe(good);
  const { requests } = project.model;
  const of = (step: string) => requests.filter((request) => stepOf(request) === step);

  // Index 0 has the story; nothing stands twice.
  for (const request of requests) {
    expect(request.system).toContain("Greet nobody by accident.");
    for (const part of [firstPlan, secondPlan, thirdPlan, finding, question].map((text) =>
      JSON.stringify(text).slice(1, -1),
    )) {
      expect(occurrences(sentIn(request), part), `${stepOf(request)}: ${part}`).toBeLessThanOrEqual(1);
    }
    expect(occurrences(sentIn(request), story)).toBeLessThanOrEqual(1);
  }
  // The answer is in the conversation, as the result of its call.
  expect(of("PLANNING")[2]?.messages.at(-1)?.results[0]?.text).toContain("Hello and the name");
  // Kept from planning to its review and back, with the finding.
  expect(of("PLANNING")[3]?.messages[0]).toEqual(of("PLANNING")[0]?.messages[0]);
  expect(sentIn(of("PLANNING")[3] as ModelRequest)).toContain(finding);
  // Cleared when the plan is approved, which is then in index 0.
  const coding = of("CODING")[0] as ModelRequest;
  expect(coding.system).toContain(secondPlan);
  expect(coding.messages).toHaveLength(1);
  // After the pivot: cleared, with story, plan and the tagged feedback in index 0.
  const again = of("PLANNING")[4] as ModelRequest;
  expect(again.messages).toHaveLength(1);
  expect(again.system).toContain(story);
  expect(again.system).toContain(secondPlan);
  expect(again.system).toContain('**[BUDGET_PIVOT_FEEDBACK]:** "Touch only two files"');
  expect(of("CODING")[4]?.system).not.toContain("BUDGET_PIVOT_FEEDBACK");
  // The failed test is what the model sees next.
  expect(of("TESTING")[1]?.messages.at(-1)?.text).toMatch(/node --test[\s\S]*Hallo, Mara!/);
  expect(project.read("TODO.md")).toContain("- [ ] greet.test.js");
  expect(JSON.stringify(requests.map(({ body }) => body))).not.toContain(key);
  expect(project.model.violations).toEqual([]);
}
