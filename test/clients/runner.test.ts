import { existsSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import type { ClaudeScript, ScriptedAnswer } from "./claude-answers.ts";
import { type ClaudeRequest, claudeText, claudeToolResults, lastUserText } from "./claude-request.ts";
import {
  createDriven,
  createShipwright,
  type Driven,
  diligent,
  parts,
  rejection,
  threeSteps,
  wholeWorkflow,
} from "./driven-claude.ts";
import { claudeVersions } from "./programs.ts";

/** What a scripted reply says that it has used: 1,000 to read, 10 to write. */
const tokensOfReply = 1_010;
const noCredit = "Your credit balance is too low to access the Anthropic API.";

describe.each([claudeVersions.newest, claudeVersions.pinned])("Claude Code %s", (version) => {
  test("is driven through a workflow, with context actions that are proved", async () => {
    const driven = await createDriven(threeSteps, diligent, version);
    const { code, stdout, stderr } = await driven.run();
    expect(stdout).toContain(version);
    expect({ code, stderr, stdout: code === 0 ? "" : stdout }).toEqual({ code: 0, stderr: "", stdout: "" });
    const types = driven.events().map(({ type }) => type);
    expect(types.filter((type) => type === "visit-ended")).toHaveLength(3);
    expect(types.filter((type) => type === "context-action-observed")).toHaveLength(2);
    const last = driven.model.requests.filter((request) => lastUserText(request).includes("Ship the boat"));
    expect(last.length).toBeGreaterThan(0);
    for (const request of last) expect(claudeText(request)).not.toContain("Plan the hull");
    const used = driven.events().flatMap(({ tokens }) => (typeof tokens === "number" ? [tokens] : []));
    expect(used.reduce((sum, tokens) => sum + tokens, 0)).toBe(driven.model.requests.length * tokensOfReply);
  });

  test.each<[string, ScriptedAnswer, string]>([
    ["a key that is not valid", rejection(401, "authentication_error", "invalid x-api-key"), "key"],
    ["an account without credit", rejection(400, "invalid_request_error", noCredit), "quota"],
    ["a limit without an end", rejection(429, "rate_limit_error", "slow down"), "limit"],
    ["a refusal", { text: "I cannot", refuses: true }, "refused"],
    ["an answer without a word", {}, "empty"],
  ])("parks the run at %s", async (_, answer, why) => {
    const driven = await createDriven(threeSteps, () => answer, version);
    const { code, stdout } = await driven.run();
    expect({ code, stdout: code === 4 ? "" : stdout }).toEqual({ code: 4, stdout: "" });
    expect(driven.events()).toContainEqual(expect.objectContaining({ type: "run-parked", why }));
    expect(driven.events().map(({ type }) => type)).not.toContain("visit-ended");
  });

  test("is ended in the middle of a turn when a budget is spent", async () => {
    const runaway: ClaudeScript = () => ({ calls: [{ name: "Glob", input: { pattern: "*.md" } }] });
    const workflow = "steps: [{ id: build, type: action, instructions: Build it, budget: { tokens: 5000 } }]";
    const driven = await createDriven(workflow, runaway, version);
    const { code, stdout } = await driven.run();
    expect({ code, stdout }).toMatchObject({
      code: 4,
      stdout: expect.stringMatching(/the budget is spent \(tokens\)/),
    });
    // Five replies spend it; one more may be on its way.
    expect(driven.model.requests.length).toBeLessThan(9);
  });

  test("runs nothing of a project that nobody has trusted in Claude Code", async () => {
    const driven = await createDriven(
      "steps: [{ id: build, type: action, instructions: Build it }]",
      diligent,
      version,
    );
    const touch = (name: string) => ({ hooks: [{ type: "command", command: `touch ${join(driven.root, name)}` }] });
    const hooks = { SessionStart: [touch("started")], UserPromptSubmit: [touch("asked")] };
    driven.write(".claude/settings.json", JSON.stringify({ hooks, permissions: { allow: ["Bash"] } }));
    const { code, stdout } = await driven.run();
    expect({ code, stdout: code === 0 ? "" : stdout }).toEqual({ code: 0, stdout: "" });
    expect(stdout.replace(/\s+/g, " ")).toMatch(
      /Settings only your own: you have not trusted this folder in Claude Code/,
    );
    expect(["started", "asked"].filter((name) => existsSync(join(driven.root, name)))).toEqual([]);
    const trust = { projects: { [driven.root]: { hasTrustDialogAccepted: true } } };
    const known = JSON.parse(driven.read("../home/.claude.json"));
    driven.write("../home/.claude.json", JSON.stringify({ ...known, ...trust }));
    await driven.run(["--new"]);
    expect(["started", "asked"].filter((name) => existsSync(join(driven.root, name)))).toEqual(["started", "asked"]);
  });

  test("parks the run until the end of a usage limit of a subscription", async () => {
    const reset = Math.floor(Date.now() / 1_000) + 3_600;
    const limit = "anthropic-ratelimit-unified";
    const headers = {
      [`${limit}-status`]: "rejected",
      [`${limit}-reset`]: String(reset),
      [`${limit}-representative-claim`]: "five_hour",
    };
    const script = () => ({ ...rejection(429, "rate_limit_error", "This would exceed your limit."), headers });
    const driven = await createDriven(threeSteps, script, version);
    const subscription = { ANTHROPIC_API_KEY: "", CLAUDE_CODE_OAUTH_TOKEN: "sk-ant-oat01-dummy" };
    const { code } = await driven.run(["--no-wait"], subscription);
    expect(code).toBe(4);
    const until = new Date(reset * 1_000).toISOString();
    expect(driven.events()).toContainEqual(expect.objectContaining({ type: "run-parked", why: "limit", until }));
  });

  test("parks the run when the agent is denied the same thing again and again, and says how to allow it", async () => {
    const denied = { calls: [{ name: "Bash", input: { command: "node -e 1", description: "x" } }] };
    // The older one tells of denials only with its answer.
    const script: ClaudeScript = (request) => (claudeToolResults(request).length < 3 ? denied : { text: "I may not." });
    const driven = await createDriven(threeSteps, script, version);
    const { code, stdout } = await driven.run();
    expect(code).toBe(4);
    expect(stdout).toContain('"Bash(node -e 1)"');
    expect(driven.events()).toContainEqual(expect.objectContaining({ type: "run-parked", why: "denied" }));
  });
});

test("Claude Code does a whole workflow, and the requests show what it knew at each visit", async () => {
  let polished = 0;
  const driven: Driven = await createDriven(
    wholeWorkflow,
    createShipwright(() => ++polished > 1 && driven.write("polished", "")),
    claudeVersions.newest,
  );
  driven.write("gate.sh", 'echo x >> tries\n[ "$(wc -l < tries)" -gt 2 ] || { echo "PLANK IS LOOSE"; exit 1; }\n');
  const { code, stdout } = await driven.run();
  expect({ code, stdout: code === 0 ? "" : stdout }).toEqual({ code: 0, stdout: "" });
  const asked = (what: string) => driven.model.requests.filter((request) => lastUserText(request).includes(what));
  const over = driven.events().flatMap((event) => (event.type === "visit-ended" ? [String(event.token)] : []));
  const loop = parts.flatMap((part) => [`build/${part.toLowerCase()}/make#1`, `build/${part.toLowerCase()}/check#1`]);
  expect(over.filter((token) => token.startsWith("build/"))).toEqual(loop);
  expect(over.filter((token) => token.startsWith("judge"))).toHaveLength(2);
  expect(driven.read("note.txt")).toBe("noted\n");

  // After a clear there is the handoff, once, and nothing of the conversation before.
  const [mast] = asked("Make the MAST");
  expect(mast?.messages.filter(({ role }) => role === "assistant")).toEqual([]);
  expect(handoffsIn(mast)).toBe(1);
  // After a compaction there are the summary and the handoff.
  const [check] = asked("Check the MAST");
  expect(claudeText(check as ClaudeRequest)).toContain("SUMMARY of the work so far");
  expect(handoffsIn(check)).toBe(1);
  // A failed gate comes back with its evidence, twice.
  expect(new Set(asked("PLANK IS LOOSE").map(({ messages }) => messages.length)).size).toBe(2);
});

function handoffsIn(request: ClaudeRequest | undefined): number {
  return request === undefined ? 0 : claudeText(request).split("<holdfast run=").length - 1;
}
