import { expect } from "vitest";
import { checkTemplate, loadTemplate } from "../../../src/templates/load.ts";
import { problemText } from "../../../src/templates/problem.ts";
import { templateYaml } from "../../../src/templates/reuse/template-yaml.ts";

/** What the YAML of a template loads as; it must load, and look like nothing that steers a terminal. */
export function reloaded(value: unknown): unknown {
  const checked = checkTemplate(value);
  if (!checked.ok) throw new Error(checked.problems.map(problemText).join("\n"));
  const yaml = templateYaml(checked.template);
  expect(yaml).not.toMatch(/[^\P{Cc}\t\n]|[\u202a-\u202e\u2066-\u2069]/u);
  const reading = loadTemplate(Buffer.from(yaml));
  expect(reading.ok ? [] : reading.problems.map(problemText)).toEqual([]);
  return reading.ok && reading.template;
}
