import { cpSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, describe, expect, it } from "vitest";
import { createProject, type Project } from "../cli/program.ts";
import { serve } from "../mcp/serve.ts";
import { session } from "./events.ts";
import { runHook } from "./hook-program.ts";
import { git, makeOrigin, type Origin, start } from "./tracked-project.ts";

let origin: Origin;

beforeAll(async () => {
  origin = await makeOrigin();
});

describe("a run that came with the repository", () => {
  it("is handed to no session, by no hook and not in the status line", async () => {
    const project = origin.clone();
    await origin.expectDistrust(project);
    const prompt = await runHook(project, "UserPromptSubmit", { session_id: session, prompt: "Go on" });
    expect(prompt).toMatchObject({ code: 0, stdout: "" });
    const input = JSON.stringify({ session_id: "theirs", cwd: project.root });
    expect(await project.bundled(["statusline"], { input })).toMatchObject({ code: 0, stdout: "" });
    expect(git(project, "status", "--porcelain", "--", ".holdfast/runs")).toBe("");
  });

  it("is neither named by a server nor continued through it", async () => {
    const { runId } = origin;
    const server = await serve(origin.clone(), { env: { CLAUDE_CODE_SESSION_ID: "theirs" } });
    expect((await server.request("tools/list")).result.tools).not.toEqual([]);
    expect(await server.no("workflow_status")).toMatchObject({ code: "run-unknown" });
    expect(JSON.stringify(await server.call("workflow_advance", { run_id: runId, output: "x" }))).toMatch(
      origin.refusal,
    );
    expect(JSON.stringify(await server.call("workflow_status", { run_id: runId }))).not.toContain("Mallory");
  });

  it("is told by runs, status and doctor, with what a person can do; what is inside does not count", async () => {
    const { runId } = origin;
    const project = origin.clone();
    const runs = (await project.holdfast(["runs"])).stdout.replace(/\s+/g, " ");
    expect(runs).toMatch(/not used/);
    expect(runs).toContain(`git rm -r --cached .holdfast/runs/${runId}`);
    expect((await project.holdfast([])).stdout).toContain("not used: 1 run from the repository; see holdfast runs");
    const status = await project.holdfast(["status"]);
    expect(status.stderr.replace(/\s+/g, " ")).toContain("runs that came with the repository are not used");
    expect((await project.holdfast(["status", "--run", runId])).stderr.replace(/\s+/g, " ")).toMatch(origin.refusal);
    expect((await project.holdfast(["doctor"])).stdout.replace(/\s+/g, " ")).toMatch(origin.refusal);
    for (const words of [
      ["advance", "--run", runId, "--output", "x"],
      ["export", runId],
      ["repair", runId],
    ]) {
      expect((await project.holdfast(words)).code, words.join(" ")).toBe(3);
    }
    expect(git(project, "status", "--porcelain", "--", ".holdfast/runs")).toBe("");
  });

  it("is not used either if only its snapshot came along", async () => {
    const { runId } = origin;
    const project = origin.clone();
    git(project, "rm", "--quiet", `.holdfast/runs/${runId}/journal.jsonl`);
    await origin.expectDistrust(project);
    expect((await project.json(["status"])).value.error).toMatchObject({ code: "run-unknown" });
  });

  it("does not stand in the way of runs of our own", async () => {
    const project = origin.clone();
    const env = { HOLDFAST_SESSION: session };
    await project.json(["start", "flow"], { env });
    expect((await project.json(["status"], { env })).value).toMatchObject({ workflow: "flow" });
    const { stdout } = await runHook(project, "SessionStart", { session_id: session, source: "compact" });
    expect(stdout).toContain("flow");
  });

  it.each([
    ["an index of version 4", (project: Project) => git(project, "update-index", "--index-version", "4")],
    ["a split index", (project: Project) => git(project, "update-index", "--split-index")],
    ["hashes of another kind", () => {}],
  ])("is recognized with %s", async (name, change) => {
    const project = name === "hashes of another kind" ? await sha256() : origin.clone();
    change(project);
    await origin.expectDistrust(project);
  });

  /** The same files in a repository with longer hashes. */
  async function sha256(): Promise<Project> {
    const project = createProject();
    cpSync(join(origin.root, ".holdfast"), join(project.root, ".holdfast"), { recursive: true });
    git(project, "init", "--quiet", "--object-format=sha256");
    git(project, "add", "--all", "--force");
    return project;
  }
});

describe("a run of our own", () => {
  it("is not used once it was added to git, and is used again when git forgets it", async () => {
    const project = await start();
    const [run] = (await project.json(["runs"])).value.runs;
    git(project, "add", "--force", `.holdfast/runs/${run.runId}`);
    expect((await project.json(["runs"])).value).toMatchObject({ runs: [], damaged: [{ tracked: true }] });
    git(project, "rm", "-r", "--quiet", "--cached", `.holdfast/runs/${run.runId}`);
    expect((await project.json(["runs"])).value).toMatchObject({ runs: [{ runId: run.runId }], damaged: [] });
  });
});
