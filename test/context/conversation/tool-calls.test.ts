import { expect, test } from "vitest";
import {
  type Context,
  createContext,
  restoreContext,
  type ToolCallPart,
  type ToolResultPart,
} from "../../../src/context/index.ts";
import { options } from "../coder.ts";

const call = (id: string): ToolCallPart => ({
  type: "tool-call",
  toolCallId: id,
  toolName: "read",
  input: { path: id },
});
const result = (id: string, value = `the file ${id}`): ToolResultPart => ({
  type: "tool-result",
  toolCallId: id,
  toolName: "read",
  output: { type: "text", value },
});

function called(...ids: string[]): Context {
  const context = createContext(options);
  context.append("user", "Read them.");
  context.append("assistant", ids.map(call));
  return context;
}

test("parallel results that come one by one become one message, in the order of the calls", () => {
  const context = called("a", "b", "c");
  context.append("tool", [result("c")]);
  context.append("tool", [result("a"), result("b")]);
  expect(context.messages().at(-1)).toEqual({ role: "tool", content: [result("a"), result("b"), result("c")] });
});

test("text that arrives between a call and its results waits until after them", () => {
  const context = called("a", "b");
  context.append("user", "Hurry!");
  context.append("tool", [result("b")]);
  context.append("system", "Two minutes left.");
  context.append("tool", [result("a")]);
  expect(context.messages().map(({ role }) => role)).toEqual(["user", "assistant", "tool", "user", "system"]);
});

test("while results are outstanding there is nothing to send, and the error names the calls", () => {
  const context = called("a", "b");
  context.append("tool", [result("a")]);
  expect(() => context.messages()).toThrow(
    "no results yet for b; append the results, or close the calls with repair()",
  );
  expect(context.outstanding()).toEqual([call("b")]);
});

test("an orphan result, a second result and a call id used twice are refused, and nothing has changed", () => {
  const context = called("a");
  const before = context.save();
  expect(() => context.append("tool", [result("z")])).toThrow("a result for z, but the waiting calls are a");
  expect(() => context.append("tool", [result("a"), result("a")])).toThrow("a result for a");
  expect(() => context.append("assistant", [call("b")])).toThrow("no results yet for a");
  expect(context.save()).toBe(before);
  context.append("tool", [result("a")]);
  expect(() => context.append("tool", [result("a")])).toThrow("but no call is waiting for one");
  expect(() => context.append("assistant", [call("a")])).toThrow("the call id a was already used");
});

test("repair() answers what is outstanding with an error that says so", () => {
  const context = called("a", "b");
  context.append("tool", [result("a")]);
  context.append("user", "Still there?");
  expect(context.repair()).toEqual(["b"]);
  expect(context.repair()).toEqual([]);
  const [, , results, last] = context.messages();
  expect(results?.content).toEqual([
    result("a"),
    {
      type: "tool-result",
      toolCallId: "b",
      toolName: "read",
      output: {
        type: "error-text",
        value:
          "Interrupted: the program stopped before a result was recorded. The call may have taken effect; check before repeating it.",
      },
    },
  ]);
  expect(last?.content).toBe("Still there?");
});

test("a crash in mid-tool is repaired on load, unless someone is still going to answer", () => {
  const context = called("a");
  expect(restoreContext(context.save(), options).messages().length).toBe(3);
  const waiting = restoreContext(context.save(), { ...options, outstanding: "keep" });
  expect(waiting.outstanding()).toEqual([call("a")]);
  waiting.append("tool", "the answer");
  expect(waiting.messages().at(-1)).toEqual({ role: "tool", content: [result("a", "the answer")] });
});

test("a reply cut off by its length limit leaves no call to run and no empty message", () => {
  const context = createContext(options);
  context.append("user", "Read it.");
  const thought = { type: "reasoning" as const, text: "hm" };
  expect(context.append("assistant", [thought, call("a")], { truncated: true })).toBe(null);
  context.append("assistant", [{ type: "text", text: "I will" }, thought, call("a")], { truncated: true });
  expect(context.messages().at(-1)).toEqual({ role: "assistant", content: [{ type: "text", text: "I will" }] });
});

test("a provider's own tools answer themselves", () => {
  const context = createContext(options);
  context.append("user", "Search.");
  context.append("assistant", [
    { ...call("a"), providerExecuted: true },
    result("a"),
    { type: "text", text: "Found." },
  ]);
  expect(context.outstanding()).toEqual([]);
  expect(context.messages().length).toBe(2);
});

test("clearing forgets calls, results and waiting text together", () => {
  const context = called("a", "b");
  context.append("tool", [result("a")]);
  context.append("user", "Hurry!");
  context.resetSystemPrompt("new", { conversation: "clear" });
  expect(context.outstanding()).toEqual([]);
  expect(context.messages()).toEqual([{ role: "system", content: "new" }]);
  expect(context.readOutput("a").text).toBe("the file a");
  expect(context.log().length).toBe(4);
});

test("content that is none is refused with what is wrong", () => {
  const context = createContext(options);
  const append = (role: "user" | "tool", content: unknown) => () => context.append(role, content as string);
  expect(append("user", 5)).toThrow("is neither text nor a list of parts");
  expect(append("user", [call("a")])).toThrow("a tool-call cannot stand there");
  expect(append("user", [{ type: "text" }])).toThrow("is wrong in part 0: its text is not text");
  expect(append("user", [{ type: "text", text: "x", extra: Number.NaN }])).toThrow("a number that JSON does not have");
  const round: object[] = [];
  round.push({ type: "text", text: "x", self: round }, round);
  expect(append("user", round)).toThrow("holds itself");
  expect(append("tool", "nobody asked")).toThrow("names no call");
  expect(append("tool", [{ ...result("a"), output: { type: "video" } }])).toThrow("its output is of no known kind");
});

test("bytes and links come in as text that can be saved", () => {
  const context = createContext(options);
  const image = new Uint8Array([137, 80, 78, 71]) as unknown as string;
  const link = new URL("https://example.com/a.png") as unknown as string;
  context.append("user", [
    { type: "image", image },
    { type: "image", image: link },
  ]);
  expect(context.conversation()[0]?.content).toEqual([
    { type: "image", image: "iVBORw==" },
    { type: "image", image: "https://example.com/a.png" },
  ]);
});
