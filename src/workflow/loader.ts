import { readBytes } from "../platform/files.ts";
import { checkTemplate, loadTemplate, type Reading } from "../templates/load.ts";
import { type Problem, problemText } from "../templates/problem.ts";
import type { WorkflowTemplate } from "./types.ts";

/** Thrown for a template that cannot be run; `problems` has every reason, with line and column where there is a text. */
export class WorkflowValidationError extends Error {
  override readonly name = "WorkflowValidationError";
  readonly problems: readonly Problem[];

  constructor(problems: readonly Problem[], where = "workflow") {
    super(`invalid ${where}:\n${problems.map((problem) => `  ${problemText(problem)}`).join("\n")}`);
    this.problems = problems;
  }
}

export async function loadWorkflowTemplate(path: string): Promise<WorkflowTemplate> {
  return templateOf(loadTemplate(await readBytes(path)), path);
}

export function loadWorkflowTemplateFromString(text: string): WorkflowTemplate {
  return templateOf(loadTemplate(text));
}

/** True, or a WorkflowValidationError: so that it serves as a guard and as a check. */
export function validateTemplate(value: unknown): value is WorkflowTemplate {
  templateOf(checkTemplate(value));
  return true;
}

function templateOf(reading: Reading, where?: string): WorkflowTemplate {
  if (!reading.ok) throw new WorkflowValidationError(reading.problems, where);
  return reading.template;
}
