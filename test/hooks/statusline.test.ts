import { readdirSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { lineFor } from "../../src/hooks/statusline.ts";
import { createSessionLogs } from "../../src/sessions/session-log.ts";
import { createProject, type Project, twoSteps, whole } from "../cli/program.ts";
import { packageVersion } from "../package-version.ts";

/** Within this process: `printed` shows that the program prints the same. */
async function line(project: Project, input: unknown = { session_id: "s1", cwd: project.root }): Promise<string> {
  const text = await lineFor(JSON.stringify(input));
  return text === "" ? "" : `${text}\n`;
}

async function printed(project: Project, input: unknown = { session_id: "s1", cwd: project.root }): Promise<string> {
  const text = typeof input === "string" ? input : JSON.stringify(input);
  const { code, stdout, stderr } = await project.bundled(["statusline"], { input: text });
  expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
  return stdout;
}

async function begin(workflow = whole): Promise<Project> {
  const project = createProject();
  project.write("flow.yaml", workflow);
  await project.holdfast(["start", "flow.yaml", "--session", "s1"]);
  return project;
}

const advance = ["advance", "--session", "s1", "--output", "done"];

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
  it("with its phase, and whether it is blocked", async () => {
    const project = createProject();
    await project.holdfast(["track", "start", "Page Orchestration", "--phase", "4/10", "--name", "SEO Generation"]);
    expect(await line(project)).toBe("Page Orchestration · phase 4/10 SEO Generation\n");
    await project.holdfast(["track", "phase", "5/10", "--status", "blocked"]);
    expect(await line(project)).toBe("Page Orchestration · phase 5/10 · blocked\n");
  });

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
