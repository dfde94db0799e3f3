import { mkdirSync, readdirSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { createProject } from "./program.ts";
import { clones } from "./two-clones.ts";

describe("holdfast push and pull", () => {
  it("carry a run to another clone", async () => {
    const { here, there, remote, run } = await clones();
    const asked = await here.holdfast(["push"]);
    expect(asked.code).toBe(1);
    expect(asked.stderr.replace(/\s+/g, " ")).toContain(
      `to everyone who can read origin (${remote}) (confirmation-needed)`,
    );
    expect(asked.stderr).toContain("run it again with --yes");
    expect(await here.holdfast(["push", "--yes"])).toEqual({
      code: 0,
      stdout: `${run} is now in origin, version 2; on another machine: holdfast pull ${run}\n`,
      stderr: "",
    });
    expect(await here.holdfast(["push", run])).toMatchObject({
      stdout: `${run} is already in origin; nothing was sent\n`,
    });
    expect(await there.holdfast(["pull"])).toEqual({
      code: 0,
      stdout: `${run} was added, at ship\n1 run in origin\n`,
      stderr: "",
    });
    expect((await there.json(["status"])).value).toMatchObject({ runId: run, step: "ship" });
    expect((await there.holdfast(["log"])).stdout.split("\n")[0]).toContain("(on another machine) ");
    expect(await there.holdfast(["pull", "--all"])).toMatchObject({ stdout: "1 run in origin, 1 unchanged\n" });
    expect(await there.holdfast(["pull", "two"])).toMatchObject({ stdout: "1 run in origin, 1 unchanged\n" });
    expect((await there.json(["pull", "three"])).value.error.code).toBe("remote-run-unknown");
    await here.holdfast(["start", "two-steps", "--new"]);
    await here.holdfast(["push", (await here.json(["runs"])).value.runs[0].runId, "--yes"]);
    expect((await there.json(["pull", "two"])).value.error).toMatchObject({ code: "run-ambiguous" });
  });

  it("show both heads of a run that went on in two places, and how to choose", async () => {
    const { here, there, run } = await clones();
    await here.holdfast(["push", "--yes"]);
    await there.holdfast(["pull"]);
    await here.holdfast(["pause"]);
    await here.holdfast(["push", run]);
    await there.holdfast(["abort"]);
    const refused = await there.holdfast(["pull", run]);
    expect(refused.code).toBe(1);
    expect(refused.stderr.replace(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, "<time>")).toBe(
      `refused: the run ${run} has moved on both here and in origin; nothing was changed (runs-diverged)\n` +
        "  here       version 4, <time>, at ship\n" +
        "  elsewhere  version 3, <time>, at ship\n" +
        "  Next   choose one with --keep local or --keep remote; the other is kept as a copy\n",
    );
    expect((await there.holdfast(["pull"])).code).toBe(1);
    const taken = await there.holdfast(["pull", run, "--keep", "remote"]);
    expect(taken.stdout).toMatch(/the other side is kept next to the journal, as journal\.kept-[0-9a-f]{12}\.jsonl\n/);
    expect(await there.holdfast(["pull", run, "--keep", "both"])).toMatchObject({
      code: 2,
      stderr: expect.stringContaining("not one of local, remote"),
    });
  });
});

describe("holdfast import-workflow", () => {
  const faber = JSON.stringify({
    id: "default",
    phases: { frame: { enabled: true, steps: [{ id: "fetch", prompt: "Fetch {work_id}" }] } },
    autonomy: { level: "guarded" },
  });

  it("makes a workflow that lints and starts, and lists what has no equivalent", async () => {
    const project = createProject();
    project.write("default.json", faber);
    expect(await project.holdfast(["import-workflow", "default.json", "-o", "faber"])).toEqual({
      code: 0,
      stdout:
        "faber was written to .holdfast/workflows/faber.yaml (1 step)\n" +
        "Without an equivalent here (also noted in the file):\n" +
        '  - autonomy.level: "guarded" (use approvals and gates of the steps instead)\n',
      stderr: "",
    });
    expect(await project.holdfast(["lint"])).toMatchObject({ code: 0, stdout: "1 file, no problems\n" });
    expect((await project.json(["start", "faber", "--var", "work_id=258"])).value.instructions).toContain("Fetch 258");
  });

  it("writes over nothing, and takes nothing else for a workflow", async () => {
    const project = createProject();
    mkdirSync(join(project.root, ".git"));
    await project.holdfast(["import-workflow", "-"], { input: faber });
    const again = await project.holdfast(["import-workflow", "-"], { input: faber });
    expect(again.stderr).toContain(".holdfast/workflows/default.yaml already exists (file-exists)");
    const other = await project.holdfast(["import-workflow", "-", "-o", "x"], { input: "[1]" });
    expect(other.stderr).toContain("standard input cannot be imported as a FABER workflow");
    expect(await project.holdfast(["import-workflow", "-", "-o", "../x"], { input: faber })).toMatchObject({
      code: 2,
      stderr: expect.stringContaining("--output must be a plain name"),
    });
  });

  it("says that it hides a built-in workflow", async () => {
    const project = createProject();
    const { stdout } = await project.holdfast(["import-workflow", "-", "-o", "feature"], { input: faber });
    expect(stdout).toContain("it overrides the built-in workflow of that name; use -o for another name\n");
  });

  it("writes nothing behind a link", async () => {
    const project = createProject();
    const elsewhere = join(project.home, "elsewhere");
    mkdirSync(elsewhere, { recursive: true });
    mkdirSync(join(project.root, ".holdfast"), { recursive: true });
    symlinkSync(elsewhere, join(project.root, ".holdfast/workflows"));
    const refused = await project.holdfast(["import-workflow", "-"], { input: faber });
    expect(refused.code).toBe(3);
    expect(refused.stderr).toContain("it is a symbolic link; state is not stored behind one");
    expect(readdirSync(elsewhere)).toEqual([]);
  });
});
