import { describe, expect, it } from "vitest";
import type { Project } from "../cli/program.ts";
import { type Moment, tell } from "./copilot-session.ts";
import { session } from "./events.ts";
import { contextOf, type HookEnded, runHook } from "./hook-program.ts";
import { eventsOf, startedProject } from "./run-project.ts";

function tellBoth(project: Project, moment: Moment): Promise<HookEnded[]> {
  return Promise.all([tell(project, "claudes", moment), tell(project, "own", moment)]);
}

describe("a session of Copilot CLI", () => {
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
