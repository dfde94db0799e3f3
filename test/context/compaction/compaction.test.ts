import { expect, test } from "vitest";
import {
  type Context,
  type ContextOptions,
  createContext,
  isOverflowError,
  type Summarize,
  type SummaryRequest,
  sendOrCompact,
} from "../../../src/context/index.ts";
import { options, story } from "../coder.ts";

/** Reads `count` files of `size` characters, one call each. */
function reader(count: number, size: number, more: Partial<ContextOptions> = {}): Context {
  const context = createContext({ ...options, ...more });
  context.enter("CODING", { story });
  for (let n = 0; n < count; n++) read(context, `c${n}`, `src/${n}.ts`, String(n % 10).repeat(size));
  return context;
}

function read(context: Context, toolCallId: string, path: string, text: string): void {
  context.append("assistant", [{ type: "tool-call", toolCallId, toolName: "read_file", input: { path } }]);
  context.append("tool", text);
}

const types = (report: Awaited<ReturnType<Context["compact"]>>) => report.stages.map(({ type }) => type);

test("under the target nothing happens, and nobody is asked", async () => {
  let asked = 0;
  const context = reader(3, 400, { summarize: () => ({ goal: String(asked++) }) });
  const before = context.save();
  expect(await context.compact(context.tokens())).toEqual({
    ...{ status: "unchanged", before: 411, after: 411, target: 411 },
    ...{ stages: [], summarizer: "not-needed", cost: { input: 0, output: 0 } },
  });
  expect([asked, context.save()]).toEqual([0, before]);
});

test("first, old tool outputs become pointers, and readOutput() brings them back", async () => {
  const context = reader(10, 2_000);
  const report = await context.compact(4_000);
  expect([types(report), report.summarizer]).toEqual([["cleared"], "not-needed"]);
  expect(context.conversation()[2]?.content).toEqual([
    {
      type: "tool-result",
      toolCallId: "c0",
      toolName: "read_file",
      output: { type: "text", value: '[Output of 2000 characters cleared; read_output("c0") gives the whole]' },
    },
  ]);
  expect(context.readOutput("c0")).toEqual({ id: "c0", text: "0".repeat(2_000), size: 2_000, next: null });
  expect(context.readOutput("c0", { from: 1_990, count: 4 })).toEqual({
    id: "c0",
    text: "0000",
    size: 2_000,
    next: 1_994,
  });
  expect(() => context.readOutput("c99")).toThrow('nothing is kept under "c99"');
});

test("then what is superseded goes: an older message on the same topic, and a call that was made again", async () => {
  const context = createContext(options);
  context.enter("CODING", { story });
  context.append("user", `Tests: ${"3 fail. ".repeat(40)}`, { source: "test", topic: "test" });
  read(context, "a", "src/same.ts", "x".repeat(200));
  read(context, "b", "src/other.ts", "y".repeat(200));
  read(context, "c", "src/same.ts", "z".repeat(200));
  context.append("user", `Tests: ${"all pass. ".repeat(40)}`, { source: "test", topic: "test" });
  context.append("assistant", "Good.");
  context.append("user", "Go on.");
  const report = await context.compact(context.tokens() - 1);
  expect(types(report)).toEqual(["dropped"]);
  const left = JSON.stringify(context.conversation());
  expect([left.includes("3 fail"), left.includes('"a"'), left.includes('"b"'), left.includes("all pass")]).toEqual([
    ...[false, false, true, true],
  ]);
});

test("of two parallel calls, one made again does not take the other with it", async () => {
  const context = createContext(options);
  context.enter("CODING", { story });
  const call = (toolCallId: string, path: string) => ({
    type: "tool-call",
    toolCallId,
    toolName: "read_file",
    input: { path },
  });
  context.append("assistant", [call("a", "src/same.ts"), call("b", "src/other.ts")]);
  context.repair();
  read(context, "c", "src/same.ts", "again");
  context.append("assistant", "Good.");
  context.append("user", "Go on.");
  const report = await context.compact(context.tokens() - 1);
  expect(types(report)).toEqual(["folded"]);
});

test("then one structured summary stands for the oldest, and the next compaction updates it", async () => {
  const asked: SummaryRequest[] = [];
  const summarize: Summarize = async (request) => {
    asked.push(request);
    return { goal: "Passkeys.", done: [`Round ${asked.length}.`], filesRead: ["src/0.ts"] };
  };
  const context = reader(30, 200, { summarize });
  const first = await context.compact(1_000);
  expect([types(first), first.summarizer]).toEqual([["folded"], "used"]);
  expect(context.conversation()[1]).toEqual({
    role: "user",
    content: "[Summary of 46 earlier messages]\nGoal: Passkeys.\nDone:\n- Round 1.\nFiles read:\n- src/0.ts",
  });
  for (let n = 30; n < 50; n++) read(context, `c${n}`, `src/${n}.ts`, "n".repeat(200));
  await context.compact(1_000);
  expect(asked.map(({ previous }) => previous?.done ?? null)).toEqual([null, ["Round 1."]]);
  const texts = context.conversation().map(({ content }) => content);
  expect(texts.filter((text) => typeof text === "string" && text.startsWith("[Summary"))).toEqual([
    "[Summary of 86 earlier messages]\nGoal: Passkeys.\nDone:\n- Round 2.\nFiles read:\n- src/0.ts",
  ]);
});

test("without a summarizer a digest says what a program can tell for certain", async () => {
  const context = reader(20, 200);
  context.append("assistant", [
    { type: "tool-call", toolCallId: "e", toolName: "edit_file", input: { path: "src/new.ts" } },
  ]);
  context.append("tool", "ok");
  context.append("user", "Tests: 2 fail.\nfoo\nbar", { source: "test" });
  for (let n = 0; n < 12; n++) context.append(n % 2 === 0 ? "assistant" : "user", `Step ${n}. ${"x".repeat(600)}`);
  const report = await context.compact(1_500);
  expect(report.summarizer).toBe("absent");
  const summary = String(context.conversation()[1]?.content);
  expect(summary).toContain("- Calls made: read_file × 20, edit_file × 1");
  expect(summary).toContain("- Last test result: Tests: 2 fail.");
  expect(summary).toContain("Next:\n- Go on in CODING.");
  expect(summary).toContain("Files changed:\n- src/new.ts");
});

const broken: readonly (readonly [string, string, Summarize])[] = [
  ["fails", "failed", async () => Promise.reject(new Error("overloaded"))],
  [
    "throws at once",
    "failed",
    () => {
      throw new Error("no key");
    },
  ],
  ["returns nothing", "empty", async () => undefined as unknown as object],
  ["returns an empty summary", "empty", async () => ({ goal: " ", done: [] })],
  ["returns something else", "empty", async () => ({ done: "all of it" as unknown as string[] })],
  [
    "returns more than it got",
    "too-long",
    async ({ messages }) => ({ done: [...messages, ...messages].map((m) => JSON.stringify(m)) }),
  ],
];

test.each(broken)(
  "a summarizer that %s: the digest takes over, and the log is whole",
  async (_name, fate, summarize) => {
    const context = reader(30, 200, { summarize });
    const log = context.log();
    const report = await context.compact(1_000);
    expect(report.summarizer).toBe(fate);
    expect(context.conversation()[1]?.content).toMatch(
      /^\[Summary of 46 earlier messages\]\nDone:\n- Calls made: read_file × 23/,
    );
    expect(context.tokens()).toBeLessThanOrEqual(1_000);
    expect(context.log()).toEqual(log);
  },
);

test("a summarizer that hangs is left behind when the caller's signal says so; until then nothing has changed", async () => {
  let asked = () => {};
  const isAsked = new Promise<void>((resolve) => {
    asked = resolve;
  });
  const context = reader(30, 200, {
    summarize: () => {
      asked();
      return new Promise(() => {});
    },
  });
  const before = context.conversation();
  const stop = new AbortController();
  const compaction = context.compact(1_000, { signal: stop.signal });
  await isAsked;
  expect(context.conversation()).toEqual(before);
  await expect(context.compact(1_000)).rejects.toThrow("a compaction is already running");
  context.append("user", "Are you there?");
  stop.abort();
  const report = await compaction;
  expect([report.summarizer, report.problem]).toEqual(["aborted", "the caller's signal ended it"]);
  expect(context.conversation().at(-1)?.content).toBe("Are you there?");
});

test("a signal that has already ended asks nobody", async () => {
  let asked = 0;
  const context = reader(30, 200, { summarize: () => ({ goal: String(asked++) }) });
  const report = await context.compact(1_000, { signal: AbortSignal.abort() });
  expect([report.summarizer, asked]).toEqual(["aborted", 0]);
});

test("a conversation that was cleared in the meantime is not compacted", async () => {
  const context = reader(30, 200, {
    summarize: async () => {
      context.resetSystemPrompt("new", { conversation: "clear" });
      return { goal: "x" };
    },
  });
  await expect(context.compact(1_000)).rejects.toThrow("the conversation was cleared while it was being compacted");
  expect(context.messages()).toEqual([{ role: "system", content: "new" }]);
});

test("questions with answers and feedback stay, whatever else goes", async () => {
  const context = reader(5, 200);
  context.append("user", "Which database?", { source: "question" });
  context.append("assistant", "Postgres.", { source: "answer" });
  context.append("user", "Mind the index.", { source: "feedback" });
  for (let n = 5; n < 30; n++) read(context, `c${n}`, `src/${n}.ts`, "n".repeat(200));
  await context.compact(400);
  const texts = context.conversation().map(({ content }) => content);
  expect(texts.slice(2, 5)).toEqual(["Which database?", "Postgres.", "Mind the index."]);
});

test("the last two messages stay, widened to the whole tool group, even when nothing else can", async () => {
  const context = reader(20, 200);
  await context.compact(250);
  expect(context.conversation().map(({ role }) => role)).toEqual(["user", "user", "assistant", "tool"]);
  context.append("user", `Go on. ${"x".repeat(200)}`);
  await context.compact(250);
  expect(context.conversation().map(({ role }) => role)).toEqual(["user", "user", "assistant", "tool", "user"]);
  context.append("assistant", `Going on. ${"x".repeat(200)}`);
  await context.compact(200);
  expect(context.conversation().map(({ role }) => role)).toEqual(["user", "user", "user", "assistant"]);
});

test("no more is folded than the goal asks for, also when there was a summary before", async () => {
  const lines = Array.from({ length: 10 }, (_, n) => `${n} ${"word ".repeat(70)}`);
  const context = reader(250, 200, { summarize: () => ({ done: lines }) });
  const after = [(await context.compact(10_000)).after];
  for (let n = 250; n < 350; n++) read(context, `c${n}`, `src/${n}.ts`, "n".repeat(200));
  after.push((await context.compact(10_000)).after);
  expect(after).toEqual([6_787, 6_787]);
});

test("a compaction frees a share, so that the next message does not call for the next one", async () => {
  const context = reader(30, 200);
  await context.compact(2_000);
  expect(context.tokens()).toBeLessThanOrEqual(1_400);
  expect((await context.compact(2_000)).status).toBe("unchanged");
});

test("one message larger than the window is shortened to head and tail, and stays readable by its id", async () => {
  const context = createContext(options);
  context.enter("CODING", { story });
  const id = context.append("user", `begin ${"🎉".repeat(60_000)} end`);
  const report = await context.compact();
  expect(types(report)).toEqual(["shortened"]);
  expect(context.conversation()[1]?.content).toMatch(
    /^begin (🎉)+\n\[\d+ characters left out here; read_output\("message-2"\) gives the whole\]\n(🎉)+ end$/u,
  );
  expect(context.readOutput(id ?? "").size).toBe(60_010);
});

test("a system prompt over the target is an error that names it, nobody is asked, and nothing has changed", async () => {
  let asked = 0;
  const context = reader(10, 2_000, { summarize: () => ({ goal: String(asked++) }) });
  context.resetSystemPrompt("x".repeat(8_000));
  const before = context.save();
  await expect(context.compact(1_000)).rejects.toThrow(
    /cannot shrink to 1000 tokens: what must stay has \d+ \(system prompt 2004, /,
  );
  expect([asked, context.save()]).toEqual([0, before]);
});

test("pins are never cut: too many of them are an error that names them", async () => {
  const context = createContext(options);
  context.enter("CODING", { story });
  for (let n = 0; n < 5; n++) context.append("user", `${n} ${"y".repeat(2_000)}`, { source: "feedback" });
  await expect(context.compact(1_000)).rejects.toMatchObject({
    code: "cannot-shrink",
    data: { parts: expect.arrayContaining([{ what: "pinned messages", tokens: 2525 }]) },
  });
});

test("a provider's overflow leads to one compaction and one retry, and then it stops", async () => {
  const overflow = Object.assign(new Error("400"), {
    error: { message: "prompt is too long: 9,000 tokens > 3,000 maximum" },
  });
  const context = reader(20, 1_000);
  let sent = 0;
  const sizes: number[] = [];
  const send = async () => {
    sizes.push(context.messages().length && context.tokens());
    if (sent++ === 0) throw overflow;
    return "reply";
  };
  expect(await sendOrCompact(context, send)).toBe("reply");
  expect(sent).toBe(2);
  expect(sizes[1]).toBeLessThanOrEqual(3_000);
  await expect(
    sendOrCompact(reader(20, 1_000), async () => {
      sent++;
      throw overflow;
    }),
  ).rejects.toBe(overflow);
  expect(sent).toBe(4);
});

test("another error of the provider is passed on at once, and nothing has changed", async () => {
  const overload = new Error("overloaded_error");
  const context = reader(20, 1_000);
  const before = context.save();
  let sent = 0;
  const send = async () => {
    sent++;
    throw overload;
  };
  await expect(sendOrCompact(context, send)).rejects.toBe(overload);
  expect([sent, context.save()]).toEqual([1, before]);
});

test.each([
  ["Anthropic", { message: "prompt is too long: 210000 tokens > 200000 maximum" }, true],
  ["OpenAI", { error: { code: "context_length_exceeded" } }, true],
  ["an overload", { error: { type: "overloaded_error" } }, false],
  ["no error at all", undefined, false],
])("an overflow is told apart: %s", (_name, error, expected) => {
  expect(isOverflowError(error)).toBe(expected);
});
