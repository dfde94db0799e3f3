import { execFileSync } from "node:child_process";
import { readdirSync, readFileSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { createProject } from "./program.ts";
import { clones, git } from "./two-clones.ts";

describe("holdfast push and pull", () => {
  it("with --all sends every run that needs it, and says by its exit code that one was refused", async () => {
    const { here, run } = await clones();
    const { value } = await here.json(["start", "two-steps", "--new"]);
    const asked = await here.json(["push", "--all"]);
    expect(asked.code).toBe(1);
    expect(asked.value.runs).toMatchObject([{ result: "refused" }, { result: "refused" }]);
    const sent = await here.holdfast(["push", "--all", "--yes"]);
    expect(sent.code).toBe(0);
    for (const id of [run, value.runId]) expect(sent.stdout).toContain(`${id} is now in origin, version `);
    expect(sent.stdout).toMatch(/\n2 runs to keep in origin\n$/);
    expect((await here.holdfast(["push", "--all"])).stdout).toBe("2 runs to keep in origin, 2 unchanged\n");
    expect(await here.json(["push", run, "--all"])).toMatchObject({ code: 2, value: { error: { code: "usage" } } });
  });

  it("name the way out where the remote's copy is damaged", async () => {
    const { here, remote, run } = await clones();
    await here.holdfast(["push", "--yes"]);
    const id = execFileSync("git", ["--git-dir", remote, "hash-object", "-w", "--stdin"], { input: "x" });
    execFileSync("git", ["--git-dir", remote, "update-ref", `refs/holdfast/runs/${run}`, id.toString().trim()]);
    const refused = await here.holdfast(["push"]);
    expect(refused.code).toBe(1);
    expect(refused.stderr).toContain(
      "Next   nothing was changed; replace it with the local run by adding --keep local",
    );
    expect(await here.holdfast(["push", "--keep", "local"])).toMatchObject({ code: 0 });
  });

  it("answer in JSON, and fail as a program does where git cannot", async () => {
    const { here, run } = await clones();
    expect(await here.json(["push", "--yes"])).toEqual({
      code: 0,
      value: { runId: run, remote: "origin", result: "first", version: 2, kept: null },
    });
    git(here, "remote", "set-url", "origin", join(here.home, "nowhere.git"));
    const failed = await here.holdfast(["pull"]);
    expect(failed.code).toBe(3);
    expect(failed.stderr).toContain("git fetch failed");
  });
});

describe("holdfast export and import", () => {
  it("carry a run through a pipe", async () => {
    const { here, there, run } = await clones();
    const exported = await here.bundled(["export", run]);
    expect(exported).toMatchObject({ code: 0, stderr: "" });
    expect(await there.bundled(["import", "-"], { input: exported.stdout })).toEqual({
      code: 0,
      stdout: `${run} was added, at ship\n`,
      stderr: "",
    });
    expect(there.journal().startsWith(here.journal())).toBe(true);
  });

  it("write over no file of another's, and what goes to /dev/stdout can be imported", async () => {
    const { here, there, run } = await clones();
    here.write("notes.txt", "precious");
    const refused = await here.holdfast(["export", run, "-o", "notes.txt"]);
    expect(refused.code).toBe(1);
    expect(refused.stderr).toContain("notes.txt already exists (file-exists)");
    const { stdout } = await here.bundled(["export", run, "-o", "/dev/stdout"]);
    expect(await there.holdfast(["import", "-"], { input: stdout })).toMatchObject({ code: 0 });
  });

  it("carry a run in a file, and say where one is damaged", async () => {
    const { here, there, run } = await clones();
    const file = join(there.root, "run.holdfast");
    expect((await here.holdfast(["export", run, "-o", file])).stdout).toMatch(
      /^wrote \S+ to \/.*run\.holdfast \(\d+ kB\)\n$/,
    );
    there.write("broken.holdfast", readFileSync(file, "utf8").replace("a plan", "a plot"));
    const refused = await there.holdfast(["import", "broken.holdfast"]);
    expect(refused.code).toBe(1);
    expect(refused.stderr).toContain("broken.holdfast is damaged in line 4: its content does not match its hash");
    expect(await there.holdfast(["import", "run.holdfast"])).toMatchObject({ code: 0 });
    expect((await there.holdfast(["export"])).stdout).toContain(`"runId":"${run}"`);
  });
});

describe("holdfast import-workflow", () => {
  const core = {
    id: "core",
    prompt: "Work item #{work_id} comes first.",
    phases: {
      frame: { pre_steps: [{ id: "load", prompt: "Load it" }], steps: [] },
      release: { require_approval: true, steps: [{ id: "merge", prompt: "Merge" }] },
    },
    autonomy: { level: "guarded" },
    critical_artifacts: {
      conditional_load: [
        { id: "issue", type: "work_plugin", command: "/work:fetch {work_id}", condition: "state.work_id != null" },
        { id: "later", type: "markdown", path: "plans/{plan_id}.md", condition: "state.plan_id != null" },
      ],
    },
  };

  it("merges what the workflow extends, and what it says about the work item comes true in a run", async () => {
    const project = createProject();
    project.write("faber/core.json", JSON.stringify(core));
    const own = {
      id: "own",
      extends: "fractary-faber:core",
      phases: { build: { steps: [{ id: "make", prompt: "Make" }] } },
    };
    project.write("faber/own.json", JSON.stringify(own));
    const { stdout } = await project.holdfast(["import-workflow", "faber/own.json"]);
    expect(stdout).toContain("own was written to .holdfast/workflows/own.yaml (3 steps, with those of core.json)\n");
    expect(await project.holdfast(["lint"])).toMatchObject({ code: 0, stdout: "1 file, no problems\n" });

    const { runId } = (await project.json(["start", "own", "--var", "work_id=258"])).value;
    const [card = ""] = readdirSync(join(project.root, "untracked/workflow-state/own"));
    expect(project.read(`untracked/workflow-state/own/${card}`)).toContain('"Work item #258 comes first."');
    const { artifacts } = (await project.json(["prime"])).value;
    expect(artifacts).toMatchObject([
      { id: "issue", status: "asked", note: "run /work:fetch 258" },
      { id: "later", status: "skipped", note: "its condition is false" },
    ]);
    await project.json(["advance", "--output", "loaded"]);
    // The approval before the phase release stands at the end of the step before it.
    expect((await project.json(["advance", "--output", "made"])).value.error.code).toBe("approval-needed");
    expect(runId).toMatch(/^own-/);
  });

  it("says which workflow it could not find, and refuses a circle", async () => {
    const project = createProject();
    const extending = (base: string) =>
      JSON.stringify({ id: "a", extends: base, phases: { build: { steps: [{ id: "make", prompt: "Make" }] } } });
    project.write("a.json", extending("nowhere"));
    expect((await project.holdfast(["import-workflow", "a.json"])).stdout).toContain(
      'extends: "nowhere" (it was not found, so its steps, approvals and artifacts are missing; put it',
    );
    project.write("b.json", extending("c"));
    project.write("c.json", extending("b"));
    const circle = await project.json(["import-workflow", "b.json", "-o", "b"]);
    expect(circle.value.error).toMatchObject({
      code: "faber-invalid",
      message: expect.stringContaining("extends itself"),
    });
    project.write("../secret.json", JSON.stringify(core));
    symlinkSync(join(project.root, "../secret.json"), join(project.root, "linked.json"));
    project.write("d.json", extending("linked"));
    expect((await project.json(["import-workflow", "d.json", "-o", "d"])).value).toMatchObject({ bases: [], steps: 1 });
  });
});
