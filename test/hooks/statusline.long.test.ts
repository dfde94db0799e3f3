import { describe, expect, it } from "vitest";
import { createProject, twoSteps } from "../cli/program.ts";
import { advance, begin, line, printed } from "./statusline-project.ts";

describe("the status line shows a run", () => {
  it("that waits, or is paused", async () => {
    const waiting = await begin(twoSteps.replace("type: action,", "type: action, gate: [{ approval: human }],"));
    await waiting.holdfast(advance);
    expect(await line(waiting)).toBe("two-steps · step 1/2 plan · waiting for approval\n");
    const paused = await begin(twoSteps);
    await paused.holdfast(["pause"]);
    expect(await line(paused)).toBe("two-steps · step 1/2 plan · paused\n");
  });

  it("to whoever says less, or nothing", async () => {
    const project = await begin(twoSteps);
    const said = "two-steps · step 1/2 plan\n";
    expect(await printed(project, { workspace: { current_dir: project.root } })).toBe(said);
    expect(await printed(project, "")).toBe(said);
    expect(await printed(project, "no JSON")).toBe(said);
    expect(await printed(project, [1])).toBe(said);
    expect(await printed(project, { session_id: 7, cwd: null, workspace: "x" })).toBe(said);
  });

  it("that is meant: it never guesses one of several", async () => {
    const project = await begin(twoSteps);
    project.write("other.yaml", twoSteps.replace("two-steps", "other"));
    await project.holdfast(["start", "other.yaml", "--session", "s2"]);
    expect(await line(project)).toBe("two-steps · step 1/2 plan\n");
    expect(await line(project, { session_id: "s3", cwd: project.root })).toBe("2 live runs; see holdfast runs\n");
  });

  it("only while it is live", async () => {
    const project = await begin(twoSteps);
    await project.holdfast(["abort"]);
    expect(await line(project)).toBe("");
  });
});

describe("the status line shows a tracked workflow", () => {
  it("in one line of 120 signs that cannot steer the terminal", async () => {
    const project = createProject();
    const phase = {
      current: 1,
      total: 2,
      name: `\u001b[31mred\u001b[0m\n${"long ".repeat(40)}`,
      status: "in_progress",
    };
    const card = { workflow: `a\u001b[2J\r\nb ${"wide ".repeat(40)}`, phase, created_at: "2026-01-01T00:00:00Z" };
    project.write("untracked/workflow-state/a/state-a-20260101_000000.json", JSON.stringify(card));
    const shown = await printed(project);
    expect(shown).toBe(
      "a b wide wide wide wide wide wide wide … · phase 1/2 red long long long long long long long …\n",
    );
    expect(shown.length).toBeLessThanOrEqual(121);
  });
});
