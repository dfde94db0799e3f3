import { isHoldfastError } from "../errors.ts";
import { readBytes } from "../platform/files.ts";
import { checkTemplate, loadTemplate, type Reading } from "../templates/load.ts";
import { type Problem, problemText } from "../templates/problem.ts";
import type { WorkflowTemplate } from "./types.ts";

/** Thrown for an invalid template; `problems` lists everything, with line and column if it was read from text. */
export class WorkflowValidationError extends Error {
  override readonly name = "WorkflowValidationError";
  readonly problems: readonly Problem[];

  constructor(problems: readonly Problem[], where = "workflow") {
    super(`invalid ${where}:\n${problems.map((problem) => `  ${problemText(problem)}`).join("\n")}`);
    this.problems = problems;
  }
}

/** Rejects with the system's code if the file cannot be read: "ENOENT" if there is none. */
export async function loadWorkflowTemplate(path: string): Promise<WorkflowTemplate> {
  return templateOf(loadTemplate(await readBytes(path).catch(withSystemCode)), path);
}

export function loadWorkflowTemplateFromString(text: string): WorkflowTemplate {
  return templateOf(loadTemplate(text));
}

/** Returns true or throws a WorkflowValidationError, so it works as a type guard and as a check. */
export function validateTemplate(value: unknown): value is WorkflowTemplate {
  templateOf(checkTemplate(value));
  return true;
}

function templateOf(reading: Reading, where?: string): WorkflowTemplate {
  if (!reading.ok) throw new WorkflowValidationError(reading.problems, where);
  return reading.template;
}

/** A program that reads a file tells what went wrong by the code of Node's error, not by ours. */
function withSystemCode(error: unknown): never {
  if (!isHoldfastError(error, "file-unreadable")) throw error;
  const code = error.cause instanceof Error && "code" in error.cause ? error.cause.code : error.code;
  throw Object.assign(new Error(error.message, { cause: error.cause }), { code });
}
