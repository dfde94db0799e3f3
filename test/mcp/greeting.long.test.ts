import { mkdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { createProject } from "../cli/program.ts";
import { addWorkflow, type Json, serve } from "./serve.ts";

test("a server whose folder is gone says so in the shape of every answer", async () => {
  const project = createProject();
  const folder = join(project.root, "work");
  mkdirSync(folder);
  const server = await serve(project, { words: ["--worktree", folder] });
  rmSync(folder, { recursive: true });
  const { code, next } = await server.no("workflow_status");
  // Whether it had begun to look around by then is a matter of milliseconds.
  expect(["file-unreadable", "run-unknown"]).toContain(code);
  expect(next).not.toBe("");
  const { result } = await server.request("tools/call", { name: "hook", arguments: { event: "Stop" } });
  expect(result).toEqual({ content: [{ type: "text", text: "{}" }] });
});

test("calls that come at once after the greeting are all answered, and each once", async () => {
  const project = createProject();
  addWorkflow(project, "work", "steps: [{ id: plan, type: action, instructions: Plan it }]");
  const server = await serve(project);
  const call = (name: string, input: Json = {}) => server.request("tools/call", { name, arguments: input });
  const answers = await Promise.all([
    call("workflow_start", { workflow: "work" }),
    ...Array.from({ length: 5 }, () => call("workflow_list")),
    server.request("tools/list"),
    server.request("resources/list"),
    call("hook", { event: "SessionStart", session_id: "s" }),
  ]);
  expect(answers.filter(({ result }) => result === undefined || result.isError === true)).toEqual([]);
  expect((await project.json(["runs"])).value.runs).toHaveLength(1);
});
