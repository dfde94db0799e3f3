import { execFileSync } from "node:child_process";
import { mkdirSync, readdirSync, rmSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { createProject, twoSteps } from "./program.ts";

it("a misspelt workflow gets the one that was probably meant", async () => {
  const project = createProject();
  for (const command of ["start", "graph"]) {
    const { code, value } = await project.json([command, "featur"]);
    expect([code, value.error.message]).toEqual([1, 'there is no workflow "featur"; did you mean feature?']);
  }
});

it("a missing file has one exit code, whatever it is for", async () => {
  const project = createProject();
  project.write(".holdfast/workflows/flow.yaml", twoSteps);
  await project.holdfast(["start", "flow"]);
  for (const words of [
    ["lint", "none.yaml"],
    ["start", "none.yaml"],
    ["graph", "workflows/none.json"],
    ["import", "none.holdfast"],
    ["import-workflow", "none.json"],
    ["todo", "none.md"],
    ["tasks", "build", "--file", "none.txt"],
    ["advance", "--output-file", "none.md"],
    ["approve", "--as", "Ann", "--secret-file", "none"],
  ]) {
    const { code, stderr } = await project.holdfast(words);
    expect([code, stderr], words.join(" ")).toEqual([2, expect.stringContaining("none")]);
  }
});

it("a workflow file that is a pipe is an error, and blocks no command", async () => {
  const project = createProject();
  project.write(".holdfast/workflows/flow.yaml", twoSteps);
  execFileSync("/bin/sh", ["-c", 'mkfifo "$0"', join(project.root, "pipe.yaml")]);
  const { code, value } = await project.json(["lint", "pipe.yaml"]);
  expect([code, value.error.message]).toEqual([3, expect.stringMatching(/pipe\.yaml: it is a pipe or a device$/)]);
});

it("lint checks what it can, also beside entries that cannot be read", async () => {
  const project = createProject();
  project.write(".holdfast/workflows/flow.yaml", twoSteps);
  project.write(".holdfast/workflows/short.yaml", "name: short\n");
  mkdirSync(join(project.root, ".holdfast/workflows/folder.yaml"));
  symlinkSync("nowhere", join(project.root, ".holdfast/workflows/link.yaml"));
  const { code, value } = await project.json(["lint"]);
  const found = value.files.map(({ file, problems }: { file: string; problems: { message: string }[] }) => [
    file.split("/").at(-1),
    problems[0]?.message,
  ]);
  expect([code, found]).toEqual([
    1,
    [
      ["flow.yaml", expect.stringContaining("not what the file is called")],
      ["folder.yaml", "cannot be read: it is a folder"],
      ["link.yaml", expect.stringMatching(/^cannot be read: .*symbolic link/)],
      ["short.yaml", "is missing; it must be text"],
    ],
  ]);
});

it("lint says of two files with one name which of them is never used", async () => {
  const project = createProject();
  project.write(".holdfast/workflows/two-steps.yaml", twoSteps);
  project.write(".holdfast/workflows/two-steps.yml", twoSteps);
  const { code, stdout } = await project.holdfast(["lint"]);
  expect(code).toBe(1);
  expect(stdout).toContain("is never used, because .holdfast/workflows/two-steps.yaml has the same name");
});

it("a text that begins with a dash is told how to be given", async () => {
  const project = createProject();
  const said = async (...words: string[]) => (await project.json(words)).value.error.message;
  expect(await said("advance", "--output", "- [ ] a thing")).toContain("write --output='- [ ] a thing'");
  expect(await said("advance", "--output", "- a\n- b")).toContain('write --output="..."');
  expect(await said("start", "flow", "- a request")).toContain("put -- before a text that starts with a dash");
});

it("a run without its template names a way out that works", async () => {
  const project = createProject();
  project.write(".holdfast/workflows/flow.yaml", twoSteps);
  const { runId } = (await project.json(["start", "flow"])).value;
  const [template = ""] = readdirSync(project.runFolder()).filter((name) => name.startsWith("template-"));
  rmSync(join(project.runFolder(), template));
  const { next } = (await project.json(["status"])).value.error;
  expect(next).toBe(`restore the file, or give the run up: holdfast rm ${runId} --yes`);
  expect((await project.json(["rm", runId, "--yes"])).code).toBe(0);
  expect((await project.json(["start", "flow"])).code).toBe(0);
});

it("lint says when a workflow is started by another name than its own", async () => {
  const project = createProject();
  project.write(".holdfast/workflows/ship.yaml", twoSteps);
  expect(await project.holdfast(["lint"])).toMatchObject({
    code: 0,
    stdout: expect.stringContaining('it is started as "ship", and its runs are called "two-steps"'),
  });
});

it("a person is told when the settings have no effect; agents and programs are not", async () => {
  const project = createProject();
  project.write(".holdfast/workflows/flow.yaml", twoSteps);
  project.write(".holdfast/config.yaml", "cards: [\n");
  const told = /^settings: \.holdfast\/config\.yaml: .*[^:]; the defaults\s+apply$/m;
  expect((await project.holdfast(["start", "flow"])).stderr).toMatch(told);
  expect((await project.holdfast(["status"])).stderr).toMatch(told);
  expect((await project.holdfast(["advance", "--token", "none"])).stderr).toMatch(told);
  expect((await project.holdfast(["status", "--json"])).stderr).toBe("");
  expect((await project.holdfast(["next", "--session", "s1"])).stderr).toBe("");
  project.write(".holdfast/config.yaml", "cards: off\n");
  expect((await project.holdfast(["status"])).stderr).toBe("");
});

it("what is wrong with settings cannot steer the terminal, also beside an answer that is exact", async () => {
  const project = createProject();
  project.write(".holdfast/config.yaml", '"a\\e[2J\\u202eb": 1\n');
  for (const words of [["status"], ["schema", "event"]]) {
    const { stderr } = await project.holdfast(words);
    expect(stderr).toContain("Unrecognized key");
    // biome-ignore lint/suspicious/noControlCharactersInRegex: these must not be there
    expect(stderr).not.toMatch(/[\x1b\u202e]/);
  }
});

describe("without the name of a run", () => {
  it("export writes the only live run, or the one that ended last", async () => {
    const project = createProject();
    project.write(".holdfast/workflows/flow.yaml", twoSteps);
    const { runId } = (await project.json(["start", "flow"])).value;
    expect((await project.json(["export", "-o", "run.holdfast"])).value.runId).toBe(runId);
    await project.holdfast(["abort"]);
    expect((await project.json(["export"])).value.runId).toBe(runId);
    await project.holdfast(["start", "flow"]);
    await project.holdfast(["start", "flow", "--new"]);
    expect((await project.json(["export"])).value.error.code).toBe("run-ambiguous");
  });

  it("rm removes the only ended run, and never picks one of several", async () => {
    const project = createProject();
    project.write(".holdfast/workflows/flow.yaml", twoSteps);
    expect((await project.json(["rm", "--yes"])).value.error.code).toBe("run-unknown");
    const { runId } = (await project.json(["start", "flow"])).value;
    expect((await project.json(["rm", "--yes"])).value.error).toMatchObject({ code: "run-live" });
    await project.holdfast(["abort"]);
    await project.holdfast(["start", "flow"]);
    expect((await project.json(["rm"])).value.error.message).toContain(runId);
    expect((await project.json(["rm", "--yes"])).value).toEqual({ removed: [runId] });
    await project.holdfast(["abort"]);
    await project.holdfast(["start", "flow"]);
    await project.holdfast(["abort"]);
    expect((await project.json(["rm", "--yes"])).value.error.message).toMatch(/^several runs have ended: \S+, \S+$/);
  });
});
