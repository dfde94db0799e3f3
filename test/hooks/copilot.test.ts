import { describe, expect, it } from "vitest";
import { tell } from "./copilot-session.ts";
import { session } from "./events.ts";
import { contextOf } from "./hook-program.ts";
import { eventsOf, startedProject } from "./run-project.ts";

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

  it("is put back on its run by the next prompt after a compaction, once", async () => {
    const project = await startedProject();
    expect((await tell(project, "own", "PreCompact")).stdout).toBe("");
    expect(contextOf(await tell(project, "own", "UserPromptSubmit"))).toContain("CONTINUE HERE");
    for (const moment of ["UserPromptSubmit", "PostToolUse"] as const) {
      expect((await tell(project, "own", moment)).stdout).toBe("");
    }
  });
});
