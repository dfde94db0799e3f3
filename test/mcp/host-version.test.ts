import { expect, test } from "vitest";
import { createProject, type Project, twoSteps } from "../cli/program.ts";
import { runHook } from "../hooks/hook-program.ts";
import { type Era, serveHere } from "./serve.ts";

const session = "agent-1";

async function startedProject(): Promise<Project> {
  const project = createProject();
  project.write(".holdfast/workflows/two-steps.yaml", twoSteps);
  expect((await project.json(["start", "two-steps", "--session", session])).code).toBe(0);
  return project;
}

const begin = (project: Project, env: Readonly<Record<string, string>> = {}) =>
  runHook(project, "SessionStart", { session_id: session, source: "resume" }, { env });

/** What is known of the sessions' programs, and how often a start was recorded. */
async function known(project: Project) {
  const { value } = await project.json(["sessions"]);
  const { events } = (await project.json(["log"])).value;
  const starts = events.filter(({ type }: { type: string }) => type === "session-started");
  return {
    hosts: value.session_history.map((row: { host: string; host_version: string }) => [row.host, row.host_version]),
    starts: starts.map(({ hostVersion }: { hostVersion?: string }) => hostVersion ?? null),
  };
}

test("the version of Claude Code comes from the environment of its hooks", async () => {
  const project = await startedProject();
  await begin(project, { AI_AGENT: "claude-code_2-1-325_harness" });
  expect(await known(project)).toEqual({ hosts: [["claude", "2.1.325"]], starts: ["2.1.325"] });
  expect((await project.holdfast(["sessions"])).stdout).toContain("claude 2.1.325");
  await begin(project, { AI_AGENT: "claude-code_2-1-325_harness" });
  expect((await known(project)).starts).toHaveLength(1);
  await begin(project, { AI_AGENT: "claude-code_2-1-326_harness" });
  expect(await known(project)).toEqual({ hosts: [["claude", "2.1.326"]], starts: ["2.1.325", "2.1.326"] });
});

test.each(["", "other_1-2_x", "claude-code_", "claude-code_../x_y"])(
  "an environment that tells no version is none: %j",
  async (value) => {
    const project = await startedProject();
    await begin(project, { AI_AGENT: value });
    expect(await known(project)).toEqual({ hosts: [["claude", null]], starts: [null] });
  },
);

test.each<Era>(["2025-11-25", "2026-07-28"])(
  "where hooks do not tell the version, the greeting of the MCP client in %s does, once",
  async (era) => {
    const project = await startedProject();
    await begin(project);
    const server = await serveHere(project, { era, env: { HOLDFAST_SESSION: session } });
    for (const output of ["planned", "shipped"]) await server.ok("workflow_advance", { output });
    expect(await known(project)).toEqual({ hosts: [["claude", "1"]], starts: [null, "1"] });
  },
);
