import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { createProject } from "../cli/program.ts";
import { serve } from "./serve.ts";

test("--workflow-path may name a file that is gone: only a start says so", async () => {
  const project = createProject();
  const server = await serve(project, { words: ["--workflow-path", "gone.yaml"] });
  expect(await server.no("workflow_start")).toMatchObject({
    code: expect.stringMatching(/^(file-unreadable|workflow-unknown)$/),
  });
  expect(await server.ok("workflow_list")).toMatchObject({ runs: [] });
});

test("--repo-root says where the runs are kept, --worktree where the agent works", async () => {
  const project = createProject();
  const git = (...words: string[]) =>
    execFileSync("git", ["-c", "user.name=T", "-c", "user.email=t@example.org", ...words], {
      cwd: project.root,
      stdio: "pipe",
    });
  git("init", "--quiet");
  git("commit", "--quiet", "--allow-empty", "--message", "one");
  git("worktree", "add", "--quiet", "--detach", "../side");
  const state = join(project.root, "../state");
  mkdirSync(state);
  const elsewhere = createProject();
  const server = await serve(elsewhere, { words: ["--worktree", join(project.root, "../side"), "--repo-root", state] });
  await server.ok("workflow_start", { workflow: "context-example" });
  const { runs } = await server.ok("workflow_list");
  expect(runs).toMatchObject([{ workflow: "context-example", worktree: "side" }]);
  expect(existsSync(join(state, ".holdfast/runs", runs[0].runId, "journal.jsonl"))).toBe(true);
  expect([project.root, elsewhere.root].map((root) => existsSync(join(root, ".holdfast")))).toEqual([false, false]);
});

test("holdfast mcp --help tells its flags, and what it cannot serve is a usage error", async () => {
  const project = createProject();
  const help = await project.bundled(["mcp", "--help"]);
  expect(help).toMatchObject({ code: 0, stderr: "" });
  expect(help.stdout.match(/--[a-z-]+/g)).toEqual(["--worktree", "--repo-root", "--workflow-path"]);
  expect(await project.bundled(["mcp", "--worktree", "nowhere"])).toEqual({
    code: 2,
    stdout: "",
    stderr: "usage: --worktree: there is no folder nowhere\n  Next   holdfast mcp --help\n",
  });
  expect(await project.bundled(["mcp", "--repo-root", "nowhere"])).toMatchObject({ code: 2, stdout: "" });
  expect(await project.bundled(["mcp", "--nope"])).toMatchObject({
    code: 2,
    stdout: "",
    stderr: expect.stringMatching(/^usage: /),
  });
  expect(await project.bundled(["mcp", "word"])).toMatchObject({ code: 2, stdout: "" });
});
