import { execFileSync, spawnSync } from "node:child_process";
import { cpSync, existsSync, readdirSync, renameSync, rmSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, describe, expect, it } from "vitest";
import { createProject } from "../cli/program.ts";
import { session } from "./events.ts";
import { runHook } from "./hook-program.ts";
import { git, makeOrigin, type Origin, start, workflow } from "./tracked-project.ts";

let origin: Origin;

beforeAll(async () => {
  origin = await makeOrigin();
});

describe("a run that came with the repository", () => {
  it("is recognized after a checkout that failed halfway, which leaves files and no index", async () => {
    const lfs = { smudge: "false", clean: "cat", required: "true" };
    const settings = Object.entries(lfs).flatMap(([key, value]) => ["-c", `filter.lfs.${key}=${value}`]);
    const project = origin.clone();
    project.write(".gitattributes", "zz filter=lfs\n");
    project.write("zz", "never arrives");
    git(project, ...settings, "add", "--all");
    git(project, ...settings, "commit", "--quiet", "--message", "a file that cannot be checked out");
    const half = createProject();
    rmSync(half.root, { recursive: true });
    const words = [...settings, "clone", "--quiet", project.root, half.root];
    expect(spawnSync("git", words, { env: half.env, encoding: "utf8" }).stderr).toContain("checkout failed");
    await origin.expectDistrust(half);
  });

  it("is recognized behind ten thousand other files, and in a folder below the top", async () => {
    const project = origin.clone();
    git(project, "mv", ".holdfast", "zz-holdfast");
    rmSync(join(project.root, ".holdfast"), { recursive: true, force: true });
    project.write("packages/app/keep.txt", "");
    renameSync(join(project.root, "zz-holdfast"), join(project.root, "packages/app/.holdfast"));
    for (let n = 0; n < 10_000; n++) project.write(`a/${n % 100}/${"long-name-".repeat(5)}${n}`, "");
    git(project, "add", "--all", "--force");
    await origin.expectDistrust(project, "packages/app");
  });

  it("is not used where git's index cannot be read, which an archive can bring", async () => {
    const { runId } = origin;
    const project = origin.clone();
    rmSync(join(project.root, ".git/index"));
    project.write(".git/index/x", "");
    const { answer } = await runHook(project, "SessionStart", { session_id: session, source: "startup" });
    const problem = `cannot read ${project.root}/.git/index: it is a folder`;
    const refused = `the run ${runId} is not used: ${problem}, so it may have come with the repository`;
    expect(answer).toEqual({ systemMessage: expect.stringContaining(refused) });
    expect((await project.json(["runs"])).value).toMatchObject({ runs: [], damaged: [{ runId, tracked: true }] });
    const own = await project.holdfast(["start", "flow", "--new"]);
    expect(own.stderr).toContain("fix git's index, then try again");
    expect(readdirSync(join(project.root, ".holdfast/runs"))).toEqual([runId]);
  });

  it("is recognized in a submodule, and as one", async () => {
    const { runId } = origin;
    const project = createProject();
    git(project, "init", "--quiet");
    git(project, "submodule", "--quiet", "add", origin.root, "sub");
    await origin.expectDistrust(project, "sub");

    const folder = createProject();
    cpSync(join(origin.root, ".holdfast/runs", runId), folder.root, { recursive: true });
    git(folder, "init", "--quiet");
    git(folder, "add", "--all");
    git(folder, "commit", "--quiet", "--message", "only the run's folder");
    const whole = createProject();
    git(whole, "init", "--quiet");
    git(whole, "submodule", "--quiet", "add", folder.root, `.holdfast/runs/${runId}`);
    const { stdout } = await runHook(whole, "SessionStart", { session_id: session, source: "startup" });
    expect(stdout).toMatch(origin.refusal);
  });
});

describe("a run of our own", () => {
  it("is used without an index: before the first commit, and in a clone without a checkout", async () => {
    const origin = createProject();
    git(origin, "init", "--quiet");
    git(origin, "commit", "--quiet", "--allow-empty", "--message", "nothing");
    const project = createProject();
    rmSync(project.root, { recursive: true });
    execFileSync("git", ["clone", "--quiet", "--no-checkout", origin.root, project.root], { env: project.env });
    for (const each of [project, await start()]) {
      each.write(".holdfast/workflows/flow.yaml", workflow);
      await each.json(["start", "flow", "--new"], { env: { HOLDFAST_SESSION: "theirs" } });
      expect(existsSync(join(each.root, ".git/index"))).toBe(false);
      const { stdout } = await runHook(each, "SessionStart", { session_id: "theirs", source: "compact" });
      expect(stdout).toContain("Mallory");
    }
  });

  it("is used in a linked worktree, where nothing else is tracked", async () => {
    const project = await start();
    git(project, "add", ".holdfast/workflows");
    git(project, "commit", "--quiet", "--message", "a workflow");
    git(project, "worktree", "add", "--quiet", "--detach", "../linked");
    const linked = { ...project, root: join(project.root, "../linked") };
    const { stdout } = await runHook(linked, "SessionStart", { session_id: "theirs", source: "compact" });
    expect(stdout).toContain("Mallory");
  });
});
