import { isUtf8 } from "node:buffer";
import { join } from "node:path";
import { sourceText } from "../../engine/step-settings.ts";
import { latestOutput } from "../../journal/outputs.ts";
import type { Standing } from "../../journal/run-journal.ts";
import { quote } from "../../model/quote.ts";
import type { Evidence } from "../../model/recorded.ts";
import type { Task } from "../../model/task.ts";
import type { TaskSource } from "../../model/template.ts";
import { parseTaskList } from "../../model/written/task-list.ts";
import type { Deps } from "../../operation/operation.ts";
import { readInside } from "../../platform/path-inside.ts";
import { systemProblem } from "../../platform/system-problem.ts";
import { portableText } from "../privacy/portable-text.ts";
import { ownRootOf } from "../runs/reply.ts";

/** The longest list of tasks, in bytes. */
export const longestList = 1_000_000;

/** The tasks that a loop gets from its source, and how they were got. */
export interface TakenTasks {
  readonly evidence: Evidence;
  readonly tasks: readonly Task[];
}

/** Takes the tasks from a file of the run's worktree, or from what a step answered last. */
export async function readTasks(
  deps: Deps,
  standing: Standing,
  source: Exclude<TaskSource, { run: unknown }>,
): Promise<TakenTasks> {
  const read =
    "file" in source ? readFile(deps, standing, source.file) : await readOutput(deps, standing, source.output);
  return takeFrom(deps, { gate: 0, held: true, what: sourceText(source) }, read);
}

/** Takes the tasks from what a command printed; null means that it was too much. A command that failed gives none. */
export function printedTasks(deps: Deps, evidence: Evidence, printed: Buffer | null): TakenTasks {
  if (!evidence.held) return { evidence, tasks: [] };
  return takeFrom(deps, evidence, printed === null ? { problem: "it printed more than 1 MB" } : decoded(printed));
}

type Read = { readonly text: string } | { readonly problem: string };

/** How many tasks there are is added to the evidence, so that a loop that is skipped shows why. */
function takeFrom(deps: Deps, evidence: Evidence, read: Read): TakenTasks {
  const list = "problem" in read ? { ok: false as const, problem: read.problem } : parseTaskList(read.text);
  if (!list.ok) {
    const tail = portableText(deps, deps.roots.projectRoot, list.problem);
    return { evidence: { ...evidence, held: false, tail }, tasks: [] };
  }
  const { tasks, done } = list;
  const counted = tasks.length === 0 ? `[no open task, ${done} done]` : `[${tasks.length} to do, ${done} done]`;
  const tail = [evidence.tail?.trimEnd() ?? "", counted].filter((part) => part !== "").join("\n");
  return { evidence: { ...evidence, tail }, tasks };
}

function readFile(deps: Deps, standing: Standing, file: string): Read {
  const root = ownRootOf(deps, standing);
  if (root === null) return { problem: `the run's worktree ${quote(standing.run.worktree ?? "")} is gone` };
  try {
    return decoded(readInside(root, join(root, file), longestList, "inside"));
  } catch (error) {
    const problem = systemProblem(error);
    if (problem === null) throw error;
    return { problem };
  }
}

async function readOutput(deps: Deps, standing: Standing, step: string): Promise<Read> {
  const text = await latestOutput(deps, standing, step);
  return text === null ? { problem: "the step has no output yet" } : { text };
}

function decoded(bytes: Buffer): Read {
  return bytes.includes(0) || !isUtf8(bytes) ? { problem: "it is not UTF-8 text" } : { text: bytes.toString("utf8") };
}
