import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { runHook } from "../hooks/hook-program.ts";
import { addWorkflow, serve } from "../mcp/serve.ts";
import { createProject, type Project } from "./program.ts";

const next = "update Holdfast to version 4.5.6 or later";

function makeTemplateNewer(project: Project): void {
  const folder = project.runFolder();
  const file = join(folder, readdirSync(folder).find((name) => name.startsWith("template-")) ?? "");
  const stored = JSON.parse(readFileSync(file, "utf8"));
  writeFileSync(file, JSON.stringify({ ...stored, format: 3, needs: "4.5.6" }));
}

function makeJournalNewer(project: Project): void {
  writeFileSync(join(project.runFolder(), "journal.jsonl"), `${project.journal()}{"format":3,"needs":"4.5.6"}\n`);
}

test.each([
  ["template", makeTemplateNewer],
  ["journal", makeJournalNewer],
])("every face says which version a newer %s needs; hooks end with 0, and nothing changes", async (_what, change) => {
  const project = createProject();
  addWorkflow(project, "flow", "hold: true\nsteps: [{ id: a, type: action, instructions: A }]");
  await project.json(["start", "flow"], { env: { HOLDFAST_SESSION: "agent-1" } });
  change(project);
  const before = project.journal();
  for (const words of [["status"], ["next"], ["advance", "--output", "x"], ["pause"]]) {
    const { code, value } = await project.json(words);
    expect({ words, code, error: value.error }).toMatchObject({
      words,
      code: 3,
      error: { code: "format-newer", next },
    });
  }
  const server = await serve(project, { env: { HOLDFAST_SESSION: "agent-1" } });
  expect(await server.no("workflow_status")).toMatchObject({ code: "format-newer", next });
  expect(await server.no("workflow_advance", { output: "x" })).toMatchObject({ code: "format-newer", next });
  for (const [event, input] of [
    ["SessionStart", { source: "clear" }],
    ["UserPromptSubmit", { prompt: "go on" }],
    ["Stop", {}],
    ["PreCompact", { trigger: "manual" }],
    ["SessionEnd", { reason: "other" }],
  ] as const) {
    const { code, stderr } = await runHook(project, event, { session_id: "agent-1", ...input });
    expect({ event, code, stderr }).toEqual({ event, code: 0, stderr: "" });
  }
  expect(project.journal()).toBe(before);
  const { stdout } = await project.holdfast(["doctor"]);
  expect(stdout).toContain("4.5.6");
});
