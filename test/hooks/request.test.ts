import { describe, expect, it } from "vitest";
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
function request(length: number): readonly string[] {
  const lines: string[] = [];
  for (let size = 0; size < length - 40; size += (lines.at(-1)?.length ?? 0) + 1) {
    lines.push(`Wish ${lines.length + 1}: tie the rope tighter.`);
  }
  return lines;
}

async function started(lines: readonly string[]): Promise<Project> {
  const project = createProject();
  project.write(".holdfast/workflows/ask.yaml", workflow);
  await runHook(project, "SessionStart", { session_id: session, source: "startup" });
  const env = { HOLDFAST_SESSION: session };
  await project.json(["start", "ask", "-"], { env, input: lines.join("\n") });
  return project;
}

async function afterClear(project: Project): Promise<string> {
  await runHook(project, "SessionEnd", { session_id: session, reason: "clear" });
  return contextOf(await runHook(project, "SessionStart", { session_id: "after-the-clear", source: "clear" }));
}

describe("after a clear", () => {
  it.each(["read", "work"])("a request of 5,000 characters is whole, at the step %s", async (step) => {
    const lines = request(5_000);
    const project = await started(lines);
    if (step === "work") await project.json(["advance", "--output", "Read"], { env: { HOLDFAST_SESSION: session } });
    const handoff = await afterClear(project);
    expect(handoff).toContain(`step ${step === "read" ? 1 : 2}/2 ${step}`);
    expect(lines.filter((line) => handoff.split(`| ${line}\n`).length !== 2)).toEqual([]);
    expect(handoff.length).toBeLessThanOrEqual(9_000);
  });

  it.each(["read", "work"])("one of 90,000 has its ends and a path that can be read, at the step %s", async (step) => {
    const lines = request(90_000);
    const project = await started(lines);
    if (step === "work") await project.json(["advance", "--output", "Read"], { env: { HOLDFAST_SESSION: session } });
    const handoff = await afterClear(project);
    for (const end of [lines[0], lines.at(-1)]) expect(handoff).toContain(`| ${end}\n`);
    const paths = [...handoff.matchAll(/read @(\S+\.md)/g)].map(([, path = ""]) => path);
    const found = paths.map((path) => project.read(path)).filter((text) => text.includes(lines.join("\n")));
    expect(paths.length).toBeGreaterThan(0);
    expect(found.length).toBeGreaterThan(0);
    expect(handoff.length).toBeLessThanOrEqual(9_000);
  });

  it("a request of one line is in the summary alone", async () => {
    const handoff = await afterClear(await started(["Tie the rope"]));
    expect(handoff).toContain('"Tie the rope"');
    expect(handoff).not.toContain("REQUEST");
  });
});
