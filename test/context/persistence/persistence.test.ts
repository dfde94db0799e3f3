import { expect, test } from "vitest";
import { checksum } from "../../../src/context/conversation/checksum.ts";
import { createContext, isContextError, restoreContext } from "../../../src/context/index.ts";
import { options, plan, type State, states, story } from "../coder.ts";

function saved(): string {
  const context = createContext(options);
  context.enter("PLANNING", { story });
  context.append("user", "Mind the old browsers. 🎉", { source: "feedback" });
  context.append("assistant", [
    { type: "reasoning", text: "hm", providerOptions: { anthropic: { signature: "EqQB+/=" } } },
    { type: "tool-call", toolCallId: "a", toolName: "read", input: { path: "x" } },
    { type: "tool-call", toolCallId: "b", toolName: "read", input: { path: "y" } },
  ]);
  context.append("tool", [
    { type: "tool-result", toolCallId: "b", toolName: "read", output: { type: "json", value: [1] } },
  ]);
  context.append("user", "Hurry!", { source: "feedback", topic: "pace" });
  context.setVolatile("Todo: 1 of 3");
  context.reportUsage(123);
  return context.save();
}

function refusal(text: string): string {
  try {
    restoreContext(text, options);
    return "it was accepted";
  } catch (error) {
    if (!isContextError(error)) throw error;
    return `${error.code}: ${error.message}`;
  }
}

test("an empty context comes back empty", () => {
  const context = restoreContext(createContext(options).save(), options);
  expect([context.messages(), context.state(), context.tokens()]).toEqual([[], null, 0]);
});

test("roles, provenance, calls, pending results, waiting text, slots and state come back", () => {
  const text = saved();
  const context = restoreContext(text, { ...options, outstanding: "keep" });
  expect(context.save()).toBe(text);
  expect([context.state(), context.data(), context.outstanding().map((call) => call.toolCallId)]).toEqual([
    ...["PLANNING", { story }, ["a"]],
  ]);
  expect(context.log().map(({ source, message }) => [message.role, source])).toEqual([
    ["user", "task"],
    ["user", "feedback"],
    ["assistant", null],
    ["tool", null],
    ["user", "feedback"],
  ]);
  expect(context.tokens()).toBe(123);
});

test("the lines of a save only grow, so that a program may append them", () => {
  const context = createContext(options);
  let file = context.save();
  for (let n = 0; n < 5; n++) {
    const after = context.savedLines();
    context.append("user", `message ${n}`);
    file += context.save({ after });
  }
  expect(file).toBe(context.save());
  expect(restoreContext(file, options).conversation()).toEqual(context.conversation());
});

test("a restored prompt is the same to the byte, though its template has changed since", () => {
  const context = createContext(options);
  context.enter("PLANNING", { story });
  const changed = { ...options, states: { ...states, PLANNING: { prompt: () => "Something else." } } };
  expect(restoreContext(context.save(), changed).systemPrompt()).toEqual(context.systemPrompt());
});

test.each(Object.keys(states) as State[])("killed in %s, it goes on in %s", (state) => {
  const context = createContext(options);
  context.enter(state, { story, plan });
  context.append("assistant", "Working on it.");
  const restored = restoreContext(context.save(), options);
  expect([restored.state(), restored.messages()]).toEqual([state, context.messages()]);
  restored.enter("PLAN_REVIEW");
  context.enter("PLAN_REVIEW");
  expect(restored.save()).toBe(context.save());
});

test("a last line that a crash cut off was never written, wherever the cut is", () => {
  const context = createContext(options);
  context.append("user", "one");
  const whole = context.save();
  context.append("user", "two 🎉");
  const text = context.save();
  for (let end = whole.length; end < text.length - 1; end++) {
    expect(restoreContext(text.slice(0, end), options).save()).toBe(whole);
  }
  expect(restoreContext(text.slice(0, -1), options).save()).toBe(text);
});

test("a change of any character before the last line is refused, with its line", () => {
  const text = saved();
  const lastLine = text.trimEnd().lastIndexOf("\n");
  for (let at = 0; at < lastLine; at += 7) {
    const line = text.slice(0, at).split("\n").length;
    const damaged = `${text.slice(0, at)}${text[at] === "#" ? "$" : "#"}${text.slice(at + 1)}`;
    expect(refusal(damaged)).toMatch(
      new RegExp(`^saved-corrupt: the saved conversation is damaged in line ${line}[ :]|line 2: it does not fit`),
    );
  }
});

test.each([
  ["nothing", "", "saved-corrupt: the saved conversation is damaged in line 1: this is no saved conversation"],
  [
    "another file",
    '{"name":"holdfast"}\n',
    "saved-corrupt: the saved conversation is damaged in line 1: this is no saved conversation",
  ],
  [
    "a newer format",
    '{"type":"holdfast-context","format":2}\n',
    "saved-newer: the saved conversation has format 2, which is newer than this version supports; update Holdfast",
  ],
  [
    "no format",
    '{"type":"holdfast-context"}\n',
    "saved-corrupt: the saved conversation is damaged in line 1: it has no format that was ever written",
  ],
])("%s is refused with a clear message", (_name, text, message) => {
  expect(refusal(text)).toContain(message);
});

test("a line missing in the middle, or two in the wrong order, are refused", () => {
  const lines = saved().trimEnd().split("\n");
  const without = lines.toSpliced(3, 1).join("\n");
  const [a = "", b = "", c = "", d = "", ...rest] = lines;
  expect(refusal(`${without}\n`)).toContain("damaged in line 4: it does not fit its checksum");
  expect(refusal(`${[a, b, d, c, ...rest].join("\n")}\n`)).toContain("damaged in line 3: it does not fit its checksum");
});

/** A file with sound checksums, whatever stands in it. */
function signed(...records: readonly object[]): string {
  const header = '{"type":"holdfast-context","format":1}';
  let sum = checksum(header, "");
  const lines = records.map((record) => {
    const body = JSON.stringify(record);
    sum = checksum(body, sum);
    return `["${sum}",${body}]`;
  });
  return `${[header, ...lines].join("\n")}\n`;
}

const hello = { type: "message-appended", message: { role: "user", content: "hello" } };
const orphan = { type: "tool-result", toolCallId: "a", toolName: "read", output: { type: "text", value: "x" } };

test.each<[string, readonly object[], string]>([
  [
    "an orphan result",
    [hello, { type: "message-appended", message: { role: "tool", content: [orphan] } }],
    "line 3: a result for a",
  ],
  [
    "a reply first",
    [{ type: "message-appended", message: { role: "assistant", content: "hi" } }],
    "line 2: a conversation must begin",
  ],
  [
    "an empty message",
    [{ type: "message-appended", message: { role: "user", content: "" } }],
    "line 2: a message is empty",
  ],
  ["a record of no known type", [hello, { type: "message-eaten" }], "line 3: it holds no record of a known type"],
  ["a record without its fields", [hello, { type: "compacted", cleared: [] }], "line 3: a list is missing"],
  [
    "a compaction that leaves half a group",
    [
      hello,
      {
        type: "message-appended",
        message: { role: "assistant", content: [{ type: "tool-call", toolCallId: "a", toolName: "read" }] },
      },
      { type: "message-appended", message: { role: "tool", content: [orphan] } },
      { type: "compacted", cleared: [], dropped: [[2, 2]], shortened: [] },
    ],
    "line 5: calls and results do not match",
  ],
])("sound checksums do not help %s", (_name, records, problem) => {
  expect(refusal(signed(...records))).toContain(`damaged in ${problem}`);
});

test("two contexts share nothing", () => {
  const one = createContext(options);
  const two = createContext(options);
  one.enter("PLANNING", { story });
  expect([two.state(), two.messages(), two.log()]).toEqual([null, [], []]);
});

test("a conversation that was saved in format 1 is read for ever", () => {
  const context = restoreContext(formatOne, options);
  expect(context.messages()).toEqual([
    { role: "system", content: "You are a coder." },
    { role: "user", content: "Hello 🎉" },
    { role: "assistant", content: "Hi." },
  ]);
});

const formatOne = [
  '{"type":"holdfast-context","format":1}',
  '["c7177b4fd58a85",{"type":"system-prompt-reset","text":"You are a coder.","conversation":"keep"}]',
  '["0fefee5ddef52e",{"type":"message-appended","message":{"role":"user","content":"Hello 🎉"},"source":"task"}]',
  '["6cde4c9dad12d2",{"type":"message-appended","message":{"role":"assistant","content":"Hi."}}]',
  "",
].join("\n");
