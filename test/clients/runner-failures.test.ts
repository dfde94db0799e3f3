import { expect, test } from "vitest";
import { createProcessMark } from "../runner/marked-processes.ts";
import type { ClaudeScript, ScriptedAnswer } from "./claude-answers.ts";
import { createDriven, diligent, rejection } from "./driven-claude.ts";
import { claudeVersions } from "./programs.ts";

const workflow = "steps: [{ id: build, type: action, instructions: Build it }]";
const overloaded = rejection(529, "overloaded_error", "Overloaded");

test("an overloaded provider is asked again until it answers", async () => {
  let asked = 0;
  const script: ClaudeScript = (request) => (++asked <= 3 ? overloaded : diligent(request));
  const driven = await createDriven(workflow, script, claudeVersions.newest);
  const { code, stdout } = await driven.run();
  expect({ code, stdout: code === 0 ? "" : stdout }).toEqual({ code: 0, stdout: "" });
  const types = driven.events().map(({ type }) => type);
  expect(types.filter((type) => type === "attempt-began")).toHaveLength(4);
  expect(types).not.toContain("attempt-lost");
});

test.each<[string, ScriptedAnswer, readonly string[]]>([
  // The eight tries of the runner take minutes.
  ["stays overloaded", overloaded, ["--max-minutes=0.1"]],
  ["sends a page in place of an answer", { bytes: "<html><body>It works!</body></html>" }, []],
  ["sends events that nobody knows", { bytes: 'event: x\ndata: {"type":"x"}\n\ndata: {{{\n\n' }, []],
  ["sends nothing", { bytes: "" }, []],
  ["does not know the key", rejection(401, "authentication_error", "invalid x-api-key"), []],
  ["has a limit without an end", rejection(429, "rate_limit_error", "slow down"), []],
  ["answers without a word", {}, []],
])("a provider that %s ends in no success, with a reason, a way on and no process left", async (_, answer, words) => {
  const driven = await createDriven(workflow, () => answer, claudeVersions.newest);
  const mark = createProcessMark();
  const { code, stdout } = await driven.run(words, mark.env);
  expect({ code, stdout: code === 4 ? "" : stdout }).toEqual({ code: 4, stdout: "" });
  expect(stdout).toMatch(/^(parked|waits for you): \S/m);
  expect(stdout).toMatch(/holdfast run --resume boat-\S+/);
  const types = driven.events().map(({ type }) => type);
  expect(types).not.toContain("visit-ended");
  expect(types).toContain(/^parked:/m.test(stdout) ? "run-parked" : "decision-requested");
  await mark.gone();
});
