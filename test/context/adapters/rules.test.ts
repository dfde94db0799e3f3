import { expect, test } from "vitest";
import { anthropicProblems } from "./anthropic-rules.ts";
import { openAiProblems } from "./openai-rules.ts";
import { responsesProblems } from "./responses-rules.ts";

// The validators that the other tests rely on. One that finds nothing in these bodies proves nothing.

const text = (words: string) => ({ type: "text", text: words });
const call = (id: string) => ({ type: "tool_use", id, name: "read", input: {} });
const result = (id: string) => ({ type: "tool_result", tool_use_id: id, content: "ok" });
const user = (...content: unknown[]) => ({ role: "user", content });
const reply = (...content: unknown[]) => ({ role: "assistant", content });
const marked = { ...text("x"), cache_control: { type: "ephemeral" } };

test("a body that Anthropic takes has no problems", () => {
  const thought = { type: "thinking", thinking: "hm", signature: "s" };
  const messages = [user(text("hi")), reply(thought, call("a"), call("b")), user(result("a"), result("b"), text("go"))];
  expect(anthropicProblems({ system: [text("you are")], messages })).toEqual([]);
});

test.each<[string, unknown, string]>([
  ["no messages", { messages: [] }, "no messages"],
  ["a reply first", { messages: [reply(text("hi"))] }, "message 0: role assistant out of turn"],
  ["two user turns", { messages: [user(text("a")), user(text("b"))] }, "message 1: role user out of turn"],
  ["an empty turn", { messages: [user()] }, "message 0: empty content"],
  ["blank text", { messages: [user(text(" \n"))] }, "message 0: blank text"],
  ["an orphan result", { messages: [user(result("a"))] }, "message 0: results [a] for calls []"],
  ["an unanswered call", { messages: [user(text("a")), reply(call("a"))] }, "unanswered calls a"],
  [
    "a call that is answered too late",
    { messages: [user(text("a")), reply(call("a")), user(text("b")), reply(text("c")), user(result("a"))] },
    "message 2: results [] for calls [a]",
  ],
  [
    "a result twice",
    { messages: [user(text("a")), reply(call("a")), user(result("a"), result("a"))] },
    "message 2: results [a,a] for calls [a]",
  ],
  [
    "text before results",
    { messages: [user(text("a")), reply(call("a")), user(text("b"), result("a"))] },
    "message 2: results are not first",
  ],
  [
    "an id twice",
    { messages: [user(text("a")), reply(call("a"), call("a")), user(result("a"), result("a"))] },
    "message 1: call id a twice",
  ],
  ["a bad id", { messages: [user(text("a")), reply(call("a.b")), user(result("a.b"))] }, "message 1: call id a.b"],
  ["a call of the user", { messages: [user(call("a"))] }, "message 0: tool_use from user"],
  [
    "an unsigned thought",
    { messages: [user(text("a")), reply({ type: "thinking", thinking: "x" }, text("b"))] },
    "message 1: unsigned thought",
  ],
  [
    "a thought at the end",
    { messages: [user(text("a")), reply({ type: "thinking", thinking: "x", signature: "s" })] },
    "message 1: ends with a thought",
  ],
  [
    "a thought behind words",
    { messages: [user(text("a")), reply(text("b"), { type: "redacted_thinking", data: "x" }, text("c"))] },
    "message 1: does not begin with its thoughts",
  ],
  [
    "a search without its result",
    { messages: [user(text("a")), reply({ type: "server_tool_use", id: "s" }, text("b")), user(text("c"))] },
    "message 1: unpaired blocks of server tools s",
  ],
  ["white space at the end", { messages: [user(text("a")), reply(text("b "))] }, "message 1: ends in white space"],
  ["five cache marks", { messages: [user(marked, marked, marked, marked, marked)] }, "more than four cache marks"],
  ["half a character", { messages: [user(text("\ud83d"))] }, "half a surrogate pair"],
  ["a stray field", { messages: [user(text("a"))], turns: 1 }, "unknown fields turns"],
])("the rules of Anthropic find %s", (_name, body, problem) => {
  expect(anthropicProblems(body)).toContain(problem);
});

const said = (role: string, content: unknown, more: object = {}) => ({ role, content, ...more });
const tool = (id: string) => ({ role: "tool", tool_call_id: id, content: "ok" });
const calls = (...ids: string[]) => ({
  tool_calls: ids.map((id) => ({ id, type: "function", function: { name: "read", arguments: "{}" } })),
});

test("a body that OpenAI takes has no problems", () => {
  const messages = [
    said("system", "s"),
    said("user", "u"),
    said("assistant", null, calls("a", "b")),
    tool("b"),
    tool("a"),
  ];
  expect(openAiProblems({ messages })).toEqual([]);
});

test.each<[string, unknown[], string]>([
  ["nobody", [], "the first to speak is nobody"],
  ["a reply first", [said("system", "s"), said("assistant", "a")], "the first to speak is assistant"],
  ["an orphan result", [said("user", "u"), tool("a")], "message 1: result for a, which nobody waits for"],
  [
    "a result twice",
    [said("user", "u"), said("assistant", null, calls("a")), tool("a"), tool("a")],
    "message 3: result for a, which nobody waits for",
  ],
  ["an unanswered call", [said("user", "u"), said("assistant", null, calls("a"))], "unanswered calls a"],
  [
    "text before a result",
    [said("user", "u"), said("assistant", null, calls("a")), said("user", "v"), tool("a")],
    "message 2: unanswered calls a",
  ],
  [
    "an id twice",
    [said("user", "u"), said("assistant", null, calls("a", "a")), tool("a")],
    "message 1: call id a twice",
  ],
  [
    "an id that is too long",
    [said("user", "u"), said("assistant", null, calls("x".repeat(41)))],
    `message 1: call id ${"x".repeat(41)}`,
  ],
  ["an empty reply", [said("user", "u"), said("assistant", null)], "message 1: empty reply"],
  ["an empty user message", [said("user", "")], "message 0: empty user message"],
  ["an unknown role", [said("user", "u"), said("robot", "x")], "message 1: unknown role robot"],
  ["half a character", [said("user", "\udc00")], "half a surrogate pair"],
])("the rules of OpenAI find %s", (_name, messages, problem) => {
  expect(openAiProblems({ messages })).toContain(problem);
});

const asked = { type: "message", role: "user", content: "u" };
const called = (id: string) => ({ type: "function_call", call_id: id, name: "read", arguments: "{}" });
const answered = (id: string) => ({ type: "function_call_output", call_id: id, output: "ok" });
const thought = { type: "reasoning", id: "r", summary: [], encrypted_content: "e" };

test("a body that the Responses API takes has no problems", () => {
  const input = [asked, thought, called("a"), called("b"), answered("b"), answered("a")];
  expect(responsesProblems({ instructions: "s", input })).toEqual([]);
});

test.each<[string, unknown[], string]>([
  ["nobody", [], "the first to speak is nobody"],
  ["an orphan result", [asked, answered("a")], "item 1: result for a, which nobody waits for"],
  ["an unanswered call", [asked, called("a")], "unanswered calls a"],
  ["text before a result", [asked, called("a"), asked, answered("a")], "item 2: unanswered calls a"],
  ["an id twice", [asked, called("a"), answered("a"), called("a"), answered("a")], "item 3: call id a twice"],
  ["reasoning alone", [asked, thought], "item 1: reasoning without what follows it"],
  [
    "reasoning without its content",
    [asked, { ...thought, encrypted_content: null }, called("a"), answered("a")],
    "item 1: reasoning that is stored nowhere",
  ],
  ["an empty message", [{ ...asked, content: [] }], "item 0: empty message"],
  ["an unknown item", [asked, { type: "dream" }], "item 1: unknown item dream"],
])("the rules of the Responses API find %s", (_name, input, problem) => {
  expect(responsesProblems({ input })).toContain(problem);
});
