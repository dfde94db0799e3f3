import { mkdirSync, mkdtempSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import {
  discoverWorkflows,
  loadWorkflowTemplate,
  loadWorkflowTemplateFromString,
  validateTemplate,
  WorkflowStateMachine,
} from "../../src/workflow/index.ts";

const base = "name: base\ndescription: A base\nsteps: [{ id: plan, type: action, instructions: Plan it }]\n";
const ship =
  "name: ship\nextends: base\nchange: [{ after: plan, insert: [{ id: build, type: action, instructions: Build it }] }]\n";

function project(): string {
  const root = mkdtempSync(join(tmpdir(), "holdfast-library-"));
  const folder = join(root, ".holdfast/workflows");
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, "base.yaml"), base);
  writeFileSync(join(folder, "ship.yaml"), ship);
  writeFileSync(join(folder, "more.yaml"), "name: more\nextends: qa-loop\n");
  return root;
}

test("a file is loaded with what it extends, and runs as one workflow", async () => {
  const template = await loadWorkflowTemplate(join(project(), ".holdfast/workflows/ship.yaml"));
  const machine = new WorkflowStateMachine(template);
  machine.start();
  expect(machine.advance("planned")).toMatchObject({ step: "build" });
  expect(validateTemplate(machine.getTemplate())).toBe(true);
});

test("a file can extend a built-in workflow, also where a link leads to the project", async () => {
  const root = project();
  expect((await loadWorkflowTemplate(join(root, ".holdfast/workflows/more.yaml"))).steps).toHaveLength(3);
  symlinkSync(root, `${root}-link`);
  expect((await loadWorkflowTemplate(join(`${root}-link`, ".holdfast/workflows/ship.yaml"))).steps).toHaveLength(2);
});

test("workflows that extend others are found", async () => {
  const found = await discoverWorkflows({ workspaceRoot: project() });
  expect(found.filter(({ isBuiltIn }) => !isBuiltIn).map(({ name, description }) => `${name}: ${description}`)).toEqual(
    [
      "base: A base",
      "more: Run the checks, fix what they find, and repeat until they find nothing more",
      "ship: A base",
    ],
  );
});

test("problems name the file they are in", async () => {
  const root = project();
  writeFileSync(join(root, ".holdfast/workflows/base.yaml"), base.replace("action", "acton"));
  await expect(loadWorkflowTemplate(join(root, ".holdfast/workflows/ship.yaml"))).rejects.toThrow(
    "ship.yaml:\n  .holdfast/workflows/base.yaml:3:",
  );
});

test("a text or an object cannot extend another workflow, and says why", () => {
  const why = "the workflow that it extends is found only when it is loaded from a file";
  expect(() => loadWorkflowTemplateFromString(ship)).toThrow(`2:1  extends  ${why}`);
  expect(() => validateTemplate({ name: "ship", extends: "base" })).toThrow(`extends  ${why}`);
});
