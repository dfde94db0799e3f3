import * as z from "zod";
import { WrittenTemplate } from "../../src/model/written/written-template.ts";

/**
 * Every key of the language as a path, such as `step.gate[].run`. Steps, sub-steps and steps to insert are all `step`;
 * what is wanted of an answer is the same in `gate` and `until`.
 */
export function languageKeys(): string[] {
  const keys = new Set<string>();
  collect(WrittenTemplate, "", keys);
  return [...keys];
}

function collect(schema: unknown, path: string, keys: Set<string>): void {
  if (schema instanceof z.ZodOptional) collect(schema.unwrap(), path, keys);
  else if (schema instanceof z.ZodUnion) for (const option of schema.options) collect(option, path, keys);
  else if (schema instanceof z.ZodArray) collect(schema.element, `${path}[]`, keys);
  else if (schema instanceof z.ZodRecord) collect(schema.valueType, `${path}.*`, keys);
  else if (schema instanceof z.ZodObject) {
    for (const [key, part] of Object.entries(schema.shape)) {
      const here = below(path, key);
      keys.add(here);
      collect(part, here, keys);
    }
  }
}

/** The keys that a workflow uses. */
export function keysIn(workflow: unknown): Set<string> {
  const used = new Set<string>();
  visit(workflow, "", used);
  return used;
}

/** Maps whose keys are names that the author chooses. */
const chosenNames = ["agents", "variables", "loops"];

function visit(value: unknown, path: string, used: Set<string>): void {
  if (Array.isArray(value)) for (const item of value) visit(item, `${path}[]`, used);
  else if (typeof value === "object" && value !== null) {
    for (const [key, part] of Object.entries(value)) {
      const here = chosenNames.includes(path) ? `${path}.*` : below(path, key);
      used.add(here);
      visit(part, here, used);
    }
  }
}

function below(path: string, key: string): string {
  const whole = path === "" ? key : `${path}.${key}`;
  return whole
    .replace(/^(steps\[\]|loops\.\*\[\]|change\[\]\.insert\[\]|change\[\]\.set)\./, "step.")
    .replace(/^step\.until\[\]\.(output|message)\b/, "step.gate[].$1")
    .replace(/^critical_artifacts\.(always|conditional)_load\[\]\./, "artifact.");
}
