import { mkdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { createProject } from "../cli/program.ts";
import { serve } from "./serve.ts";

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
