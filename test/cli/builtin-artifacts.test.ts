import { execFileSync } from "node:child_process";
import { expect, test } from "vitest";
import { createProject, type Project } from "./program.ts";

/** The advances that lead to a step, and what the critical artifacts are there. */
const walks: readonly (readonly [
  workflow: string,
  files: readonly string[],
  advances: readonly (string | null)[],
  loaded: readonly string[],
])[] = [
  ["bugfix", [], ["reproduced", "cause_found"], ["changes"]],
  ["coder", [], [null, "approved"], ["changes"]],
  ["context-example", [], [null, null], ["changes"]],
  ["feature", ["docs/plan.md"], [null, null], ["plan"]],
  ["planning", ["docs/planning/requirements.md"], [null, "tasks", null], ["requirements"]],
  ["qa-loop", [], ["findings"], ["changes"]],
  ["refactor", ["docs/refactoring.md"], ["worthwhile", null, "covered"], ["refactoring", "changes"]],
  ["release", ["CHANGELOG.md"], ["changes", "tasks", null], ["changelog", "changes"]],
];

async function walkTo(project: Project, workflow: string, advances: readonly (string | null)[]): Promise<void> {
  const { value } = await project.json(["start", workflow]);
  let { contextAction, step } = value;
  for (const outcome of advances) {
    if (contextAction !== undefined) ({ step } = (await project.json(["next"])).value);
    const said = outcome === null ? [] : ["--outcome", outcome];
    const ended =
      outcome === "tasks"
        ? await project.json(["tasks", step], { input: "[]" })
        : await project.json(["advance", "--output", "done", ...said]);
    expect(ended.code).toBe(0);
    ({ contextAction, step } = ended.value);
  }
}

test.each(walks)("%s brings back what its agent needs, once it is there", async (workflow, files, advances, ids) => {
  const project = createProject();
  execFileSync("git", ["init", "-q", "-b", "main"], { cwd: project.root });
  for (const file of files) project.write(file, `The text of ${file}.\n`);
  await project.json(["start", workflow]);
  expect((await project.json(["prime"])).value.text).toBe("");
  await walkTo(project, workflow, advances);
  const { artifacts, text } = (await project.json(["prime"])).value;
  const loaded = artifacts.filter(({ status }: { status: string }) => status === "loaded");
  expect(loaded.map(({ id }: { id: string }) => id)).toEqual(ids);
  for (const file of files) expect(text).toContain(`The text of ${file}.`);
  if (ids.includes("changes")) expect(text).toContain("branch: main\n");
});
