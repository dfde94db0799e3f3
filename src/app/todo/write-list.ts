import { join } from "node:path";
import { swapFile } from "../../cards/swap-file.ts";
import type { StartedRun } from "../../model/run.ts";
import { todoFiles, todoMarker, withoutMarker } from "../../model/todo.ts";
import { type No, no } from "../../operation/operation.ts";
import { unwritable } from "../../platform/files.ts";
import { type Found, findList } from "./read-list.ts";

export interface Written {
  readonly file: string;
  readonly text: string;
  /** What was at the path before. */
  readonly before: Found;
}

/** Replaces the run's whole list. If the usual file belongs to someone else, the run gets a file of its own. */
export function writeList(root: string, run: Pick<StartedRun, "runId" | "todo">, content: string): Written | No {
  const text = `${todoMarker(run.runId)}\n\n${withoutMarker(content)}\n`;
  for (;;) {
    const file = chooseFile(root, run);
    const before = findList(root, file);
    const problem = problemWith(before, run.runId);
    if (problem !== null) return no({ code: "todo-blocked", file, problem });
    if (swap(join(root, file), text, () => isSame(findList(root, file), before))) return { file, text, before };
  }
}

/** An existing list stays where it is. A new one goes to the usual file, unless that belongs to someone else. */
function chooseFile(root: string, { runId, todo }: Pick<StartedRun, "runId" | "todo">): string {
  const [usual, own] = todoFiles(runId);
  const before = todo?.file === own ? findList(root, own) : null;
  if (before?.type === "unreadable" || (before?.type === "list" && before.owner === runId)) return own;
  const found = findList(root, usual);
  return found.type === "foreign" || (found.type === "list" && found.owner !== runId) ? own : usual;
}

/** Why the file must not be replaced. */
function problemWith(found: Found, runId: string): string | null {
  switch (found.type) {
    case "nothing":
      return null;
    case "list":
      return found.owner === runId ? null : notOurs;
    case "foreign":
      return notOurs;
    case "link":
      return "it is a symbolic link";
    case "unreadable":
      return `it cannot be read: ${found.problem}`;
  }
}

const notOurs = "it is not this run's list";

function isSame(found: Found, before: Found): boolean {
  return JSON.stringify(found) === JSON.stringify(before);
}

function swap(path: string, text: string, isUnchanged: () => boolean): boolean {
  try {
    return swapFile(path, text, isUnchanged);
  } catch (cause) {
    throw unwritable(path, cause);
  }
}
