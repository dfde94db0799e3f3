import { describe, expect, test } from "vitest";
import { type Context, createContext, type ModelMessage, restoreContext } from "../../src/context/index.ts";
import { countTokens, options, plan, type State, states, story } from "./coder.ts";

// The seed's interface and rules, each by its name.

function coding(): Context {
  const context = createContext(options);
  context.enter("SETUP", { story });
  context.append("assistant", "The worktree is ready.");
  context.enter("PLANNING");
  context.append("user", "Mind the old browsers.");
  return context;
}

describe("the interface", () => {
  test("a new context has no messages, no tokens and no system prompt", () => {
    const context = createContext(options);
    expect(context.systemPrompt()).toBeUndefined();
    expect(context.conversation()).toEqual([]);
    expect(context.messages()).toEqual([]);
    expect(context.tokens()).toBe(0);
  });

  test("SystemPrompt() is always index 0, with role system", async () => {
    const context = createContext({ ...options, states: {} });
    context.resetSystemPrompt("You are a coder.");
    for (let n = 0; n < 40; n++) context.append(n % 2 === 0 ? "user" : "assistant", `message ${n} ${"x".repeat(200)}`);
    const first = { role: "system", content: "You are a coder." };
    expect(context.messages()[0]).toEqual(first);
    await context.compact(600);
    expect(context.messages()[0]).toEqual(first);
    expect(restoreContext(context.save(), options).messages()[0]).toEqual(first);
  });

  test("Conversation() is the rolling window, and a copy of it to the last level", () => {
    const context = createContext(options);
    context.append("user", [{ type: "text", text: "hello", providerOptions: { any: { deep: [1] } } }]);
    const taken = context.conversation() as unknown as [
      { content: [{ text: string; providerOptions: { any: { deep: number[] } } }] },
    ];
    taken[0].content[0].text = "changed";
    taken[0].content[0].providerOptions.any.deep.push(2);
    expect(context.conversation()).toEqual([
      { role: "user", content: [{ type: "text", text: "hello", providerOptions: { any: { deep: [1] } } }] },
    ]);
  });

  test("what was handed in can be changed afterwards without a trace", () => {
    const context = createContext(options);
    const content = [{ type: "text" as const, text: "hello" }];
    context.append("user", content);
    content[0] = { type: "text", text: "changed" };
    expect(context.conversation()).toEqual([{ role: "user", content: [{ type: "text", text: "hello" }] }]);
  });

  test("ResetSystemPrompt() replaces index 0 and keeps the conversation, unless told to clear it", () => {
    const context = createContext(options);
    context.resetSystemPrompt("one");
    context.append("user", "hello");
    context.resetSystemPrompt("two");
    expect(context.messages()).toEqual([
      { role: "system", content: "two" },
      { role: "user", content: "hello" },
    ]);
    context.resetSystemPrompt("three", { conversation: "clear" });
    expect(context.messages()).toEqual([{ role: "system", content: "three" }]);
  });

  test("Append() takes user, assistant, tool and system, and no other role", () => {
    const context = createContext(options);
    context.append("user", "hello ");
    context.append("system", "Be brief.");
    context.append("assistant", [{ type: "tool-call", toolCallId: "a", toolName: "read", input: {} }]);
    context.append("tool", "the file");
    expect(context.conversation().map(({ role }) => role)).toEqual(["user", "system", "assistant", "tool"]);
    expect(context.conversation()[0]).toEqual({ role: "user", content: "hello" });
    expect(() => context.append("architect" as "user", "hm")).toThrow('"architect" is not a role');
  });

  test("Append() ignores what is empty", () => {
    const context = createContext(options);
    expect([
      context.append("user", "  \n"),
      context.append("user", []),
      context.append("user", [{ type: "text", text: " " }]),
    ]).toEqual([null, null, null]);
    expect(context.conversation()).toEqual([]);
  });

  test("a conversation begins with the user", () => {
    const context = createContext(options);
    expect(() => context.append("assistant", "I begin.")).toThrow("a conversation must begin with a user message");
  });

  test("Compact() keeps index 0, the first task message and the last two messages", async () => {
    const context = createContext({ ...options, states: {} });
    context.resetSystemPrompt("You are a coder.");
    const said = Array.from({ length: 30 }, (_, n) => `message ${n} ${"x".repeat(100)}`);
    for (const [n, text] of said.entries()) context.append(n % 2 === 0 ? "user" : "assistant", text);
    await context.compact(400);
    const left = context.messages().map(({ content }) => content);
    expect([left[0], left[1], left.at(-2), left.at(-1)]).toEqual(["You are a coder.", said[0], said[28], said[29]]);
    expect(context.tokens()).toBeLessThanOrEqual(400);
  });
});

describe("context clearing triggers", () => {
  test("PLAN_REVIEW -> CODING clears, and story and plan are in the new prompt", () => {
    const context = coding();
    context.enter("PLAN_REVIEW", { plan });
    const done = context.enter("CODING");
    expect(done).toEqual({
      context: "clear",
      messages: { kept: 0, cleared: 3 },
      slots: { carried: ["story", "plan"], emptied: [] },
      feedback: 0,
    });
    expect(context.messages()).toEqual([
      { role: "system", content: `You are a coder in CODING.\nStory: ${story}\nPlan: ${plan}` },
      { role: "user", content: "Implement the plan." },
    ]);
  });

  test("BUDGET_REVIEW -> PLANNING (PIVOT) clears and keeps story, plan and the tagged feedback", () => {
    const context = coding();
    context.enter("CODING", { plan });
    context.enter("BUDGET_REVIEW");
    context.enter(
      "PLANNING",
      { "pivot-feedback": "Use a library.", git: "3f2a1c on story/passkeys" },
      { reason: "PIVOT" },
    );
    expect(context.messages()).toEqual([
      {
        role: "system",
        content: [
          `You are a coder in PLANNING.\nStory: ${story}\nPlan: ${plan}\n`,
          '**[BUDGET_PIVOT_FEEDBACK]:** "Use a library."',
          "Work already done may have to be undone or changed.",
          '**[WORK_STANDS_AT]:** "3f2a1c on story/passkeys"',
        ].join("\n"),
      },
      { role: "user", content: "Make a plan for the story." },
    ]);
  });

  const names = Object.keys(states) as State[];
  const others = names
    .flatMap((from) => names.flatMap((to) => [undefined, "PIVOT", "CONTINUE"].map((reason) => ({ from, to, reason }))))
    .filter(({ from, to }) => !(from === "PLAN_REVIEW" && to === "CODING"))
    .filter(({ from, to, reason }) => !(from === "BUDGET_REVIEW" && to === "PLANNING" && reason === "PIVOT"));

  test(`all other transitions (${others.length}) keep the conversation byte for byte`, () => {
    for (const { from, to, reason } of others) {
      const context = createContext(options);
      context.enter(from, { story, plan });
      context.append("assistant", [
        { type: "reasoning", text: "hm", providerOptions: { a: { s: "x" } } },
        { type: "text", text: " as it is " },
      ]);
      context.append("user", "feedback", { source: "feedback" });
      const before = JSON.stringify(context.conversation());
      context.enter(to, {}, reason === undefined ? {} : { reason });
      expect(JSON.stringify(context.conversation())).toBe(before);
    }
  });

  test("entering the same state again renders index 0 anew and keeps the conversation", () => {
    const context = coding();
    const before = context.conversation();
    context.enter("PLANNING", { plan });
    expect(context.systemPrompt()?.content).toBe(`You are a coder in PLANNING.\nStory: ${story}\nPlan: ${plan}`);
    expect(context.conversation()).toEqual(before);
  });

  test("a transition that loses the plan is refused, and nothing has changed", () => {
    const context = coding();
    context.enter("PLAN_REVIEW");
    const before = context.save();
    expect(() => context.enter("CODING")).toThrow("without the plan in its prompt");
    expect(context.save()).toBe(before);
  });

  test("an unknown state, a wrong origin and an unknown origin are errors, never guesses", () => {
    const context = coding();
    const before = context.save();
    expect(() => context.enter("CODIGN")).toThrow('there is no state "CODIGN"');
    expect(() => context.enter("CODING", {}, { from: "SETUP" })).toThrow(
      'leaves "SETUP", but the context is in PLANNING',
    );
    expect(() => context.explain("LIMBO", "CODING")).toThrow('leaves "LIMBO"');
    expect(context.save()).toBe(before);
  });

  test("explain() says what would happen, and does nothing", () => {
    const context = coding();
    context.enter("PLAN_REVIEW", { plan });
    context.append("user", "Approved, but write tests first.", { source: "feedback" });
    const before = context.save();
    expect(context.explain("PLAN_REVIEW", "CODING")).toEqual({
      context: "clear",
      messages: { kept: 0, cleared: 4 },
      slots: { carried: ["story", "plan"], emptied: [] },
      feedback: 1,
    });
    expect(context.explain("PLAN_REVIEW", "PLANNING")).toEqual({
      context: "keep",
      messages: { kept: 4, cleared: 0 },
      slots: { carried: ["story", "plan"], emptied: [] },
      feedback: 0,
    });
    expect(context.save()).toBe(before);
  });

  test("what was cleared stays in the log", () => {
    const context = coding();
    context.enter("PLAN_REVIEW", { plan });
    context.enter("CODING");
    expect(context.log().map(({ message, state }) => [state, message.content])).toEqual([
      ["SETUP", "Prepare the worktree."],
      ["SETUP", "The worktree is ready."],
      ["PLANNING", "Mind the old browsers."],
      ["CODING", "Implement the plan."],
    ]);
  });
});

describe("no duplication between template and conversation", () => {
  test("the task is not said again when the prompt holds the story", () => {
    const context = createContext(options);
    context.enter("PLANNING", { story });
    expect(() => context.append("user", `Your task: ${story}`, { source: "task" })).toThrow(
      "the story is already in the system prompt",
    );
    expect(() => context.setVolatile(`Remember: ${story}`)).toThrow("leave it out of the volatile text");
  });

  test("a kickoff that repeats the story is refused before anything changes", () => {
    const PLANNING = {
      prompt: ({ story: task }: Readonly<Record<string, string>>) => `Plan this: ${task}`,
      kickoff: () => `Begin with: ${story}`,
    };
    const context = createContext({ ...options, states: { PLANNING } });
    expect(() => context.enter("PLANNING", { story })).toThrow("leave it out of the kickoff");
    expect(context.systemPrompt()).toBeUndefined();
  });

  test("a whole story from SETUP to CODING has each block once", () => {
    const context = coding();
    context.enter("PLAN_REVIEW", { plan });
    context.append("user", "Approved, but write tests first.", { source: "feedback" });
    context.enter("CODING");
    const sent = JSON.stringify(context.messages());
    for (const block of [story, plan, "Approved, but write tests first."]) expect(sent.split(block).length - 1).toBe(1);
  });

  test("a summary does not repeat the story", async () => {
    const summarize = async () => ({ goal: `Do this: ${story}`, done: ["Read the code.", story] });
    const context = createContext({ ...options, summarize });
    context.enter("PLANNING", { story });
    for (let n = 0; n < 30; n++) context.append(n % 2 === 0 ? "assistant" : "user", `${n} ${"x".repeat(100)}`);
    await context.compact(600);
    expect(context.conversation()[1]?.content).toMatch(
      /^\[Summary of \d+ earlier messages\]\nDone:\n- Read the code\.$/,
    );
  });
});

test("the prompt is the same to the byte between turns, and what changes goes last", () => {
  const context = coding();
  const prompt = context.systemPrompt()?.content;
  context.setVolatile("Todo: 1 of 3");
  context.append("assistant", "Done with the first.");
  context.setVolatile("Todo: 2 of 3");
  expect(context.systemPrompt()?.content).toBe(prompt);
  expect(context.messages().at(-1)?.content).toBe("Todo: 2 of 3");
  expect(context.conversation().at(-1)?.content).toBe("Done with the first.");
});

test("fewer tokens are sent than without the redesign: no block twice, and a clear between plan and code", () => {
  const context = coding();
  const old: ModelMessage[] = [];
  let now = 0;
  let before = 0;
  const weigh = (messages: readonly ModelMessage[]) => countTokens(JSON.stringify(messages));
  const turn = (name: State, text: string) => {
    context.append("assistant", text);
    old.push({ role: "assistant", content: text });
    now += weigh(context.messages());
    // As it was: the template embeds story, plan and the whole conversation, and the same messages follow it.
    before += weigh([
      { role: "system", content: `${states[name].prompt({ story, plan })}\n${JSON.stringify(old)}` },
      ...old,
    ]);
  };
  for (let n = 0; n < 20; n++) turn("PLANNING", `I look at file ${n}. ${"It matters. ".repeat(20)}`);
  context.enter("PLAN_REVIEW", { plan });
  context.enter("CODING");
  for (let n = 0; n < 20; n++) turn("CODING", `I write file ${n}. ${"It works. ".repeat(20)}`);
  expect(Math.round((100 * now) / before)).toBeLessThan(35);
});
