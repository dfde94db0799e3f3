import { describe, expect, it } from "vitest";
import type { Project } from "../cli/program.ts";
import { session } from "./events.ts";
import { contextOf, type HookEnded, runHook } from "./hook-program.ts";
import { eventsOf, startedProject } from "./run-project.ts";

const transcript_path = `/home/a/.copilot/session-state/${session}/events.jsonl`;
const moments = {
  SessionStart: { source: "resume", initial_prompt: "Go on" },
  PreCompact: { transcript_path, trigger: "auto", custom_instructions: "" },
  UserPromptSubmit: { prompt: "Go on" },
  PostToolUse: { tool_name: "Bash", tool_input: { command: "ls" }, tool_result: { result_type: "success" } },
  Stop: { transcript_path, stop_reason: "end_turn", stop_hook_active: false },
  SessionEnd: { reason: "complete" },
} as const;
type Moment = keyof typeof moments;

/** Which settings brought the hook: those of Claude Code, which Copilot CLI reads too, or its own. */
const ways = {
  claudes: { host: "claude", via: "project" },
  own: { host: "copilot", via: "copilot" },
} as const;

function tell(project: Project, way: keyof typeof ways, moment: Moment, more: object = {}): Promise<HookEnded> {
  const input = { session_id: session, timestamp: "2026-11-15T23:13:22.013Z", ...moments[moment], ...more };
  return runHook(project, moment, input, ways[way]);
}

function tellBoth(project: Project, moment: Moment): Promise<HookEnded[]> {
  return Promise.all([tell(project, "claudes", moment), tell(project, "own", moment)]);
}

describe("a session of Copilot CLI", () => {
  it.each(["claudes", "own"] as const)("is known as such by %s hooks, and told in its own form", async (way) => {
    const project = await startedProject();
    const { answer } = await tell(project, way, "SessionStart");
    expect(Object.keys(answer)).toEqual(["additionalContext"]);
    expect(answer.additionalContext).toContain("CONTINUE HERE");
    const started = eventsOf(project).findLast(({ type }) => type === "session-started");
    expect(started).toMatchObject({ session, host: "copilot" });
    expect((await tell(project, way, "Stop")).answer).toMatchObject({ decision: "block" });
  });

  it("stays one of Claude Code's where Claude Code dates its events, too", async () => {
    const project = await startedProject();
    const input = {
      session_id: session,
      source: "resume",
      timestamp: "now",
      transcript_path: "/home/a/.claude/s.jsonl",
    };
    const { answer } = await runHook(project, "SessionStart", input);
    expect(answer.hookSpecificOutput.additionalContext).toContain("CONTINUE HERE");
  });

  it("is put back on its run by the next prompt after a compaction, once", async () => {
    const project = await startedProject();
    expect((await tell(project, "own", "PreCompact")).stdout).toBe("");
    expect(contextOf(await tell(project, "own", "UserPromptSubmit"))).toContain("CONTINUE HERE");
    for (const moment of ["UserPromptSubmit", "PostToolUse"] as const) {
      expect((await tell(project, "own", moment)).stdout).toBe("");
    }
  });

  it("is put back on its run by the next tool call where it is compacted in the middle of a turn", async () => {
    const project = await startedProject();
    expect((await tell(project, "own", "PostToolUse")).stdout).toBe("");
    await tell(project, "own", "PreCompact");
    const subagent = { session_id: "5e551077-aaaa-4bbb-8ccc-000000000002", agent_id: "a1", parent_agent_id: session };
    expect((await tell(project, "own", "PostToolUse", subagent)).stdout).toBe("");
    expect(contextOf(await tell(project, "own", "PostToolUse"))).toContain("CONTINUE HERE");
    expect((await tell(project, "own", "UserPromptSubmit")).stdout).toBe("");
  });

  it("goes on after the end of a turn, of which it tells like of its own end", async () => {
    const project = await startedProject();
    await tell(project, "own", "SessionStart");
    await tell(project, "own", "PreCompact");
    for (const reason of ["complete", "error"]) await tell(project, "own", "SessionEnd", { reason });
    expect(eventsOf(project).filter(({ type }) => type === "session-ended")).toEqual([]);
    expect(contextOf(await tell(project, "own", "UserPromptSubmit"))).toContain("CONTINUE HERE");
    await tell(project, "own", "SessionEnd", { reason: "user_exit" });
    expect(eventsOf(project).filter(({ type }) => type === "session-ended")).toHaveLength(1);
  });

  it("goes on after a clear, of which it tells like of an exit and of a new session", async () => {
    const project = await startedProject();
    await tell(project, "own", "SessionStart");
    await tell(project, "own", "SessionEnd", { reason: "user_exit" });
    const next = { session_id: "5e551077-aaaa-4bbb-8ccc-000000000002", source: "new" };
    const told = await Promise.all(
      (["claudes", "own"] as const).map((way) => tell(project, way, "SessionStart", next)),
    );
    expect(told.map(contextOf).filter(Boolean)).toEqual([expect.stringContaining('reason="clear"')]);
    const started = eventsOf(project).findLast(({ type }) => type === "session-started");
    expect(started).toMatchObject({ session: next.session_id, follows: session });
    const another = { session_id: "5e551077-aaaa-4bbb-8ccc-000000000003", source: "new" };
    expect(contextOf(await tell(project, "own", "SessionStart", another))).not.toContain("CONTINUE HERE");
  });

  it("is told everything once where both Claude Code and Copilot CLI are set up", async () => {
    const project = await startedProject();
    const told = async (moment: Moment) =>
      (await tellBoth(project, moment)).map(({ stdout }) => stdout).filter(Boolean);
    expect(await told("SessionStart")).toHaveLength(1);
    expect(await told("PreCompact")).toEqual([]);
    expect(await told("UserPromptSubmit")).toHaveLength(1);
    expect(await told("Stop")).toHaveLength(1);
    const count = (wanted: string) => eventsOf(project).filter(({ type }) => type === wanted).length;
    expect([count("compaction-began"), count("session-started")]).toEqual([1, 1]);
  });
});
