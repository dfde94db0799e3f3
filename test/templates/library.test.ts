import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import {
  loadWorkflowTemplate,
  loadWorkflowTemplateFromString,
  validateTemplate,
  WorkflowValidationError,
} from "../../src/workflow/index.ts";
import { everything } from "./example.ts";

let folder = "";
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "holdfast-templates-"));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

/** What a program gets to see when a workflow does not load. */
async function failure(path: string): Promise<unknown> {
  return loadWorkflowTemplate(path).then(
    () => null,
    (error: unknown) => error,
  );
}

describe("loading a workflow file from a program", () => {
  test("gives the template", async () => {
    const file = join(folder, "feature.yaml");
    await writeFile(file, everything);
    expect(await loadWorkflowTemplate(file)).toEqual(loadWorkflowTemplateFromString(everything));
  });

  test("names the file that is not there", async () => {
    const file = join(folder, "missing.yaml");
    expect(await failure(file)).toMatchObject({
      code: "ENOENT",
      message: `cannot read ${file}: there is no such file`,
    });
  });

  test("names the folder that is no file", async () => {
    expect(await failure(folder)).toMatchObject({
      code: "EISDIR",
      message: `cannot read ${folder}: it is a folder`,
    });
  });

  test("names the file that is binary", async () => {
    const file = join(folder, "picture.png");
    await writeFile(file, Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a, 0x00, 0xff]));
    const error = await failure(file);
    expect(error).toBeInstanceOf(WorkflowValidationError);
    expect(error).toMatchObject({
      message: `invalid ${file}:\n  1:1  the file is not UTF-8 text; save it as UTF-8`,
    });
  });

  test("names the file and every problem of one that does not load", async () => {
    const file = join(folder, "broken.yaml");
    await writeFile(file, "name: feature\nsteps: []\n");
    expect(await failure(file)).toMatchObject({
      name: "WorkflowValidationError",
      message: `invalid ${file}:\n  1:1  description  is missing; it must be text\n  2:8  steps  must have at least one step`,
      problems: [
        { path: "description", position: { line: 1, column: 1 } },
        { path: "steps", position: { line: 2, column: 8 } },
      ],
    });
  });
});

describe("validating a plain value", () => {
  const steps = [{ id: "a", type: "action", instructions: "x" }];

  test("says yes", () => {
    expect(validateTemplate({ name: "a", description: "b", steps })).toBe(true);
  });

  test.each([
    ["nothing", undefined, "the workflow is empty; a workflow is a map with name, description and steps"],
    ["a text", "a", 'a workflow is a map with name, description and steps, not "a"'],
    ["a list", steps, "a workflow is a map with name, description and steps, not a list"],
    ["an unfinished workflow", { name: "a", steps }, "description  is missing; it must be text"],
  ])("throws for %s", (_, value, message) => {
    expect(() => validateTemplate(value)).toThrow(`invalid workflow:\n  ${message}`);
  });

  test("throws for a value that contains itself", () => {
    const value: Record<string, unknown> = { name: "a", description: "b" };
    value.steps = value;
    expect(() => validateTemplate(value)).toThrow("invalid workflow:\n  steps  must be a list, not a map");
  });

  test("throws for a value with a key of its own named __proto__", () => {
    const value: unknown = JSON.parse('{ "name": "a", "description": "b", "loops": { "__proto__": [] } }');
    expect(() => validateTemplate({ ...Object(value), steps })).toThrow(
      'invalid workflow:\n  loops.__proto__  "__proto__" is a reserved name; use another',
    );
  });
});
