import { readdirSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { createSessionLogs } from "../../src/sessions/session-log.ts";
import { createProject, twoSteps } from "../cli/program.ts";
import { packageVersion } from "../package-version.ts";
import { advance, begin, line, printed } from "./statusline-project.ts";

it("the status line passes on what the session has cost, and nothing else that it is told", async () => {
  const project = await begin();
  const sessions = createSessionLogs(join(project.root, ".holdfast"));
  const input = (total: unknown) => ({ session_id: "s1", cwd: project.root, cost: { total_cost_usd: total } });
  for (const total of ["3", -1, null, 1e12]) await line(project, input(total));
  expect(sessions.costOf("s1")).toBeNull();
  expect(await line(project, input(0.25))).toBe("whole · step 1/5 plan\n");
  expect(sessions.costOf("s1")).toBe(0.25);
});

describe("the status line shows a run", () => {
  it("at an action, in a loop and in an iteration", async () => {
    const project = await begin();
    expect(await line(project)).toBe("whole · step 1/5 plan\n");
    await project.holdfast(advance);
    await project.holdfast([...advance, "--outcome", "approved"]);
    expect(await line(project)).toBe("whole · step 3/5 build · tasks not set\n");
    await project.holdfast(["tasks", "build", "--session", "s1"], { input: "One\nTwo\n" });
    expect(await line(project)).toBe("whole · step 3/5 build · task 1/2 · waits for /compact\n");
    for (const _subStep of ["implement", "verify"]) {
      await project.holdfast(["next", "--session", "s1"]);
      await project.holdfast(advance);
    }
    expect(await line(project)).toBe("whole · step 3/5 build · task 2/2 · waits for /compact\n");
    await project.holdfast(["next", "--session", "s1"]);
    expect(await line(project)).toBe("whole · step 3/5 build · task 2/2\n");
    for (const _subStep of ["implement", "verify"]) {
      await project.holdfast(["next", "--session", "s1"]);
      await project.holdfast(advance);
    }
    expect(await line(project)).toBe("whole · step 4/5 polish · iteration 1/2\n");
    expect(await printed(project)).toBe("whole · step 4/5 polish · iteration 1/2\n");
  });
});

describe("the status line shows a tracked workflow", () => {
  it("with its phase, and whether it is blocked", async () => {
    const project = createProject();
    await project.holdfast(["track", "start", "Page Orchestration", "--phase", "4/10", "--name", "SEO Generation"]);
    expect(await line(project)).toBe("Page Orchestration · phase 4/10 SEO Generation\n");
    await project.holdfast(["track", "phase", "5/10", "--status", "blocked"]);
    expect(await line(project)).toBe("Page Orchestration · phase 5/10 · blocked\n");
  });
});

it("there is no line where nothing is live, and nothing is left behind", async () => {
  const project = createProject();
  expect(await printed(project)).toBe("");
  expect(await printed(project, { cwd: "/nowhere/at/all" })).toBe("");
  expect(readdirSync(project.root)).toEqual([]);
});

it("the faces for hosts explain themselves", async () => {
  const { bundled } = createProject();
  const [statusline, hook, version] = await Promise.all([
    bundled(["statusline", "--help"]),
    bundled(["hook", "--help"]),
    bundled(["hook", "--version"]),
  ]);
  expect(statusline?.stdout).toContain("Usage: holdfast statusline < status.json\n");
  expect(hook?.stdout).toContain("Usage: holdfast hook [--host NAME] [--via NAME] <event> < event.json\n");
  expect(version).toEqual({ code: 0, stdout: `${packageVersion}\n`, stderr: "" });
});

it("the program answers a hook itself", async () => {
  const project = await begin(twoSteps);
  const input = JSON.stringify({ session_id: "s1", cwd: project.root, source: "compact" });
  const { code, stdout } = await project.bundled(["hook", "--host", "claude", "SessionStart"], { input });
  expect(code).toBe(0);
  expect(JSON.parse(stdout).hookSpecificOutput.additionalContext).toContain("step 1/2 plan");
});
