import { expect } from "vitest";
import { createProject, type Project } from "../cli/program.ts";
import { session } from "./events.ts";
import { contextOf, runHook } from "./hook-program.ts";

const workflow = JSON.stringify({
  name: "ask",
  description: "Asks for a lot",
  steps: [
    { id: "read", type: "action", instructions: "Read this:\n{run.request}" },
    { id: "work", type: "action", instructions: "Do what was asked." },
  ],
});

/** Lines that each differ, so that one that is missing is seen. */
export function request(length: number): readonly string[] {
  const lines: string[] = [];
  for (let size = 0; size < length - 40; size += (lines.at(-1)?.length ?? 0) + 1) {
    lines.push(`Wish ${lines.length + 1}: tie the rope tighter.`);
  }
  return lines;
}

export async function started(lines: readonly string[]): Promise<Project> {
  const project = createProject();
  project.write(".holdfast/workflows/ask.yaml", workflow);
  await runHook(project, "SessionStart", { session_id: session, source: "startup" });
  const env = { HOLDFAST_SESSION: session };
  await project.json(["start", "ask", "-"], { env, input: lines.join("\n") });
  return project;
}

export async function afterClear(project: Project): Promise<string> {
  await runHook(project, "SessionEnd", { session_id: session, reason: "clear" });
  return contextOf(await runHook(project, "SessionStart", { session_id: "after-the-clear", source: "clear" }));
}

/** All of a request of 5,000 characters is in the handoff at this step. */
export async function expectWhole(step: string): Promise<void> {
  const lines = request(5_000);
  const project = await started(lines);
  if (step === "work") await project.json(["advance", "--output", "Read"], { env: { HOLDFAST_SESSION: session } });
  const handoff = await afterClear(project);
  expect(handoff).toContain(`step ${step === "read" ? 1 : 2}/2 ${step}`);
  expect(lines.filter((line) => handoff.split(`| ${line}\n`).length !== 2)).toEqual([]);
  expect(handoff.length).toBeLessThanOrEqual(9_000);
}
