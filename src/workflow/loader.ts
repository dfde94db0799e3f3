import { realpathSync } from "node:fs";
import { dirname } from "node:path";
import { fileURLToPath } from "node:url";
import { isHoldfastError } from "../errors.ts";
import { readBytesNow } from "../platform/files.ts";
import { findRoots } from "../platform/roots.ts";
import { sizeLimits } from "../platform/size-limits.ts";
import { checkTemplate, loadTemplate, type Reading } from "../templates/load.ts";
import { type Problem, problemText } from "../templates/problem.ts";
import { baseFinder } from "../templates/reuse/base-file.ts";
import { loadWorkflow } from "../templates/reuse/load-workflow.ts";
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

/**
 * Loads a workflow with everything that it extends, which may be built-in workflows and files of the project it is in.
 * Rejects with the system's code if the file cannot be read: "ENOENT" if there is none.
 */
export async function loadWorkflowTemplate(path: string): Promise<WorkflowTemplate> {
  const content = readContent(path);
  const file = realpathSync(path);
  const { projectRoot, stateRoot } = findRoots(dirname(file));
  return templateOf(loadWorkflow({ file, content }, baseFinder({ projectRoot, stateRoot, builtInFolder })), path);
}

/** A text has no place that files could be found from, so it cannot extend another workflow. */
export function loadWorkflowTemplateFromString(text: string): WorkflowTemplate {
  return templateOf(loadTemplate(text));
}

/** Returns true or throws a WorkflowValidationError, so it works as a type guard and as a check. */
export function validateTemplate(value: unknown): value is WorkflowTemplate {
  templateOf(checkTemplate(value));
  return true;
}

/** From `src/` as from `dist/`, this package's own workflows. */
const builtInFolder = fileURLToPath(new URL("../../workflows/", import.meta.url));

function templateOf(reading: Reading, where?: string): WorkflowTemplate {
  if (!reading.ok) throw new WorkflowValidationError(reading.problems, where);
  return reading.template;
}

function readContent(path: string): Uint8Array {
  try {
    return readBytesNow(path, sizeLimits.workflow);
  } catch (error) {
    return withSystemCode(error);
  }
}

/** A program that reads a file tells what went wrong by the code of Node's error, not by ours. */
function withSystemCode(error: unknown): never {
  if (!isHoldfastError(error, "file-unreadable")) throw error;
  const code = error.cause instanceof Error && "code" in error.cause ? error.cause.code : error.code;
  throw Object.assign(new Error(error.message, { cause: error.cause }), { code });
}
