import { describe, expect, test } from "vitest";
import { createMeter, createTurnReader, type Frame } from "../../../src/runner/agents/claude-frames.ts";

// The frames are those of Claude Code 2.1.325 and 2.1.197, without the fields that nobody reads.
function turnOf(frames: readonly Frame[]) {
  const reader = createTurnReader();
  const events = frames.flatMap((frame) => reader.read(frame));
  return { turn: reader.end(frames.at(-1) ?? {}), events, hasCompacted: reader.hasCompacted };
}

const said = (content: readonly object[], more: object = {}) => ({ type: "assistant", message: { content }, ...more });
const broken = (error: string) => said([{ type: "text", text: "API Error" }], { error });
const result = (more: object = {}) => ({
  type: "result",
  subtype: "success",
  is_error: false,
  result: "done",
  ...more,
});

describe("a turn of Claude Code", () => {
  test("shows what the agent says and does, and the model that answers", () => {
    const { turn, events } = turnOf([
      { type: "system", subtype: "init", model: "claude-sonnet-4-5" },
      said([{ type: "text", text: "I write" }]),
      said([{ type: "tool_use", name: "Write", input: { file_path: "x.txt", content: "hi" } }]),
      { type: "user", message: { content: [{ type: "tool_result" }] } },
      result(),
    ]);
    expect(events).toEqual([
      { type: "model", model: "claude-sonnet-4-5" },
      { type: "text", text: "I write" },
      { type: "tool", name: "Write", detail: "x.txt" },
      { type: "alive" },
      { type: "alive" },
    ]);
    expect(turn).toEqual({ type: "answered", text: "done" });
  });

  test.each([
    ["rate_limit", 429, "limit"],
    ["server_error", 529, "overloaded"],
    ["server_error", null, "overloaded"],
    ["authentication_failed", 401, "key"],
    ["billing_error", 400, "quota"],
    ["model_not_found", 404, "not-started"],
    ["unknown", null, "garbage"],
    ["a name of tomorrow", 429, "limit"],
    ["a name of tomorrow", null, "lost"],
  ])("that ended with %s (%s) is a failure of the kind it names", (error, status, kind) => {
    const { turn, events } = turnOf([
      broken(error),
      result({ is_error: true, api_error_status: status, result: "API Error" }),
    ]);
    expect(turn).toEqual({ type: "failed", failure: { kind, reason: "API Error" } });
    expect(events.filter(({ type }) => type === "text")).toEqual([]);
  });

  test("that ran into a limit says when it ends, and only if the limit was the reason", () => {
    const info = { status: "rejected", resetsAt: 1_794_854_065, rateLimitType: "five_hour" };
    const limit = { type: "rate_limit_event", rate_limit_info: info };
    const end = result({ is_error: true, result: "You've hit your 5-hour limit" });
    const until = new Date(info.resetsAt * 1_000).toISOString();
    expect(turnOf([limit, broken("rate_limit"), end]).turn).toMatchObject({ failure: { kind: "limit", until } });
    expect(turnOf([limit, broken("billing_error"), end]).turn).not.toHaveProperty("failure.until");
    const allowed = { type: "rate_limit_event", rate_limit_info: { status: "allowed", resetsAt: 9 } };
    expect(turnOf([limit, allowed, result()]).turn).toEqual({ type: "answered", text: "done" });
    const odd = { type: "rate_limit_event", rate_limit_info: { status: "rejected", resetsAt: 1e300 } };
    expect(turnOf([odd, broken("rate_limit"), end]).turn).not.toHaveProperty("failure.until");
  });

  test("in which the model talks about a limit is an answer like any other", () => {
    const text = "API Error: 429 rate_limit, credit balance is too low, please run /login";
    expect(turnOf([said([{ type: "text", text }]), result({ result: text })]).turn).toEqual({ type: "answered", text });
  });

  test("that the model refused is refused, whatever the error is called", () => {
    const end = result({ is_error: true, stop_reason: "refusal", result: "flagged" });
    expect(turnOf([broken("invalid_request"), end]).turn).toMatchObject({ failure: { kind: "refused" } });
  });

  test("without a word is empty, unless the agent has used a tool", () => {
    const end = result({ result: "" });
    expect(turnOf([end]).turn).toMatchObject({ failure: { kind: "empty" } });
    const used = said([{ type: "tool_use", name: "mcp__holdfast__workflow_advance", input: {} }]);
    expect(turnOf([used, end]).turn).toEqual({ type: "answered", text: "" });
  });

  test("tells each denied permission once, with the rule that allows it", () => {
    const denial = { tool_name: "Bash", tool_use_id: "t1", tool_input: { command: "node -e 1" } };
    const late = { tool_name: "WebFetch", tool_use_id: "t2", tool_input: { url: "http://x.example/" } };
    const { events } = turnOf([
      said([{ type: "tool_use", id: "t1", name: "Bash", input: denial.tool_input }]),
      { type: "system", subtype: "permission_denied", tool_name: "Bash", tool_use_id: "t1" },
      result({ permission_denials: [denial, late] }),
    ]);
    expect(events.filter(({ type }) => type === "permission-denied")).toEqual([
      { type: "permission-denied", tool: "Bash", allow: expect.stringContaining('"Bash(node -e 1)"') },
      { type: "permission-denied", tool: "WebFetch", allow: expect.stringContaining('"WebFetch"') },
    ]);
  });

  test("has compacted only if the boundary came", () => {
    const boundary = { type: "system", subtype: "compact_boundary", compact_metadata: { trigger: "manual" } };
    expect(turnOf([boundary, result({ result: "" })])).toMatchObject({ hasCompacted: true });
    const status = { type: "system", subtype: "status", compact_result: "failed" };
    expect(turnOf([status, result({ result: "" })])).toMatchObject({ hasCompacted: false });
  });
});

describe("what a conversation has used", () => {
  const totals = (cost: number, tokens: number, more: object = {}) => {
    const usage = {
      inputTokens: tokens - 30,
      outputTokens: 10,
      cacheCreationInputTokens: 20,
      cacheReadInputTokens: 900,
    };
    return result({ total_cost_usd: cost, modelUsage: { m: usage }, num_turns: 1, ...more });
  };
  const used = (turns: number, tokens: number, cost: number) => [
    { type: "usage", turns, tokens },
    { type: "cost", cost: expect.closeTo(cost, 9) },
  ];

  test("is told as what is new, with the summary of a compaction, and goes on after a clear", () => {
    const meter = createMeter();
    meter.count(totals(0.5, 100));
    expect(meter.take()).toEqual(used(1, 100, 0.5));
    meter.count(totals(0.7, 150, { num_turns: 0 }));
    meter.count(totals(0, 30, { num_turns: 0, modelUsage: {} }));
    meter.count(totals(0.4, 90));
    expect(meter.take()).toEqual(used(1, 140, 0.6));
  });

  test("is the same where the totals go on after a clear", () => {
    const meter = createMeter();
    meter.count(totals(0.5, 100));
    meter.count(totals(0.5, 100, { num_turns: 0 }));
    meter.count(totals(0.9, 190));
    expect(meter.take()).toEqual(used(2, 190, 0.9));
  });

  test.each([
    ["begins at zero", {}, totals(0.8, 120), used(1, 120, 0.8)],
    ["goes on", { model_usage_since_last_result: {} }, totals(1.3, 220), used(1, 120, 0.8)],
  ])("is not counted twice in a program that %s", (_, more, next, expected) => {
    const meter = createMeter();
    meter.count(totals(0.5, 100, more));
    meter.take();
    meter.restart();
    meter.count({ ...next, ...more });
    expect(meter.take()).toEqual(expected);
  });
});
