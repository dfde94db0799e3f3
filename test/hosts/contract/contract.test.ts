import { expect, it } from "vitest";
import { claudeContract } from "../../../src/hosts/claude/contract.ts";
import { hookOutput } from "../../../src/hosts/contract/contract.ts";
import { everything } from "../host-case.ts";

it("a hook says nothing for an event that we do not know", () => {
  expect(hookOutput(claudeContract, "PreToolUse", everything)).toBe("");
  expect(hookOutput(claudeContract, "constructor", everything)).toBe("");
});

it("a hook says at most 10,000 characters a field, and no sign is cut in two", () => {
  const long = hookOutput(claudeContract, "SessionStart", { context: `${"x".repeat(9_998)}🪢🪢` });
  const { additionalContext } = JSON.parse(long).hookSpecificOutput;
  expect(additionalContext).toBe(`${"x".repeat(9_998)}…`);
  expect(hookOutput(claudeContract, "PreCompact", { instructions: "é".repeat(10_001) })).toBe(`${"é".repeat(9_999)}…`);
  expect(hookOutput(claudeContract, "PreCompact", { instructions: "é".repeat(10_000) })).toBe("é".repeat(10_000));
});

it("a hook says no plain text that the host would take for JSON", () => {
  expect(hookOutput(claudeContract, "PreCompact", { instructions: ' {"keep": 1}' })).toBe("");
});
