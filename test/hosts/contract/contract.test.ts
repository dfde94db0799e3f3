import { describe, expect, it } from "vitest";
import { contractProblem, hookEvents, hookOutput, hostNames } from "../../../src/hosts/contract/contract.ts";

const everything = { context: "The tide is out", block: "Not yet", instructions: "Keep the knot", notice: "Restored" };

const context = (event: string) =>
  `{"hookSpecificOutput":{"hookEventName":"${event}","additionalContext":"The tide is out"},"systemMessage":"Restored"}`;
const notice = '{"systemMessage":"Restored"}';
const block = '{"decision":"block","reason":"Not yet","systemMessage":"Restored"}';

describe("what a host is told", () => {
  it.each([
    ["claude", "SessionStart", context("SessionStart")],
    ["claude", "UserPromptSubmit", context("UserPromptSubmit")],
    ["claude", "PostToolUse", context("PostToolUse")],
    ["claude", "PreCompact", "Keep the knot"],
    ["claude", "PostCompact", notice],
    ["claude", "Stop", block],
    ["claude", "SessionEnd", ""],
    ["codex", "SessionStart", context("SessionStart")],
    ["codex", "UserPromptSubmit", context("UserPromptSubmit")],
    ["codex", "PostToolUse", context("PostToolUse")],
    ["codex", "PreCompact", notice],
    ["codex", "PostCompact", notice],
    ["codex", "Stop", block],
    ["codex", "SessionEnd", ""],
  ] as const)("%s takes from %s no more than it accepts", (host, event, expected) => {
    expect(hookOutput(host, event, everything)).toBe(expected);
    expect(contractProblem(host, event, expected)).toBeNull();
  });

  it("is nothing where there is nothing to say", () => {
    for (const host of hostNames)
      for (const event of hookEvents) {
        expect(hookOutput(host, event, {})).toBe("");
        expect(hookOutput(host, event, { context: " \n", block: "", notice: "\t", instructions: "" })).toBe("");
      }
  });

  it("is nothing for an event that we do not know", () => {
    expect(hookOutput("claude", "PreToolUse", everything)).toBe("");
    expect(hookOutput("claude", "constructor", everything)).toBe("");
  });

  it("has at most 10,000 characters a field, and no sign is cut in two", () => {
    const long = hookOutput("claude", "SessionStart", { context: `${"x".repeat(9_998)}🪢🪢` });
    const { additionalContext } = JSON.parse(long).hookSpecificOutput;
    expect(additionalContext).toBe(`${"x".repeat(9_998)}…`);
    expect(hookOutput("claude", "PreCompact", { instructions: "é".repeat(10_001) })).toBe(`${"é".repeat(9_999)}…`);
    expect(hookOutput("claude", "PreCompact", { instructions: "é".repeat(10_000) })).toBe("é".repeat(10_000));
  });

  it("is no plain text that the host would take for JSON", () => {
    expect(hookOutput("claude", "PreCompact", { instructions: ' {"keep": 1}' })).toBe("");
  });
});

describe("what a host would reject", () => {
  it.each([
    ["SessionStart", "plain words", "it takes JSON, not plain text"],
    ["SessionStart", "{", "it is not a JSON object"],
    ["SessionStart", '{"additionalContext":"x"}', "it has the unknown field additionalContext"],
    ["SessionStart", '{"hookSpecificOutput":1}', "hookSpecificOutput is not an object"],
    ["SessionStart", '{"hookSpecificOutput":{"hookEventName":"Stop"}}', "hookEventName is not SessionStart"],
    [
      "SessionStart",
      '{"hookSpecificOutput":{"hookEventName":"SessionStart","more":1}}',
      "hookSpecificOutput has the unknown field more",
    ],
    ["SessionStart", '{"decision":"block","reason":"x"}', "SessionStart cannot block"],
    ["SessionStart", '{"systemMessage":7}', "systemMessage is not text"],
    ["SessionStart", `{"systemMessage":"${"x".repeat(10_001)}"}`, "systemMessage has more than 10000 characters"],
    ["PreCompact", '{"systemMessage":"x"}', "it takes plain text, not JSON"],
    ["PreCompact", "x".repeat(10_001), "the text has more than 10000 characters"],
    ["PostCompact", '{"hookSpecificOutput":{}}', "PostCompact takes no hookSpecificOutput"],
    ["Stop", '{"decision":"approve","reason":"x"}', 'a block has decision "block" and a reason'],
    ["Stop", '{"decision":"block"}', 'a block has decision "block" and a reason'],
    ["SessionEnd", '{"systemMessage":"x"}', "SessionEnd takes no systemMessage"],
    ["PreToolUse", "{}", "PreToolUse is not an event that Holdfast handles"],
  ])("of %s: %s", (event, output, problem) => {
    expect(contractProblem("claude", event, output)).toBe(problem);
  });

  it("is never silence", () => {
    for (const host of hostNames) for (const event of hookEvents) expect(contractProblem(host, event, "\n")).toBeNull();
  });
});
