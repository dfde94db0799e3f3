import { join } from "node:path";
import { swapFile } from "../../cards/swap-file.ts";
import type { StartedRun } from "../../model/run.ts";
import { todoMarker, withoutMarker } from "../../model/todo.ts";
import { unwritable } from "../../platform/files.ts";
import { type No, no } from "../operation.ts";
import { type Found, findList } from "./read-list.ts";

export interface Written {
  readonly file: string;
  readonly text: string;
  /** What stood there before. */
  readonly before: Found;
}

const usual = "TODO.md";

/** Replaces the run's list whole. What is not ours, or another run's, stays: then the list has a file of its own. */
export function writeList(root: string, run: Pick<StartedRun, "runId" | "todo">, content: string): Written | No {
  const text = `${todoMarker(run.runId)}\n\n${withoutMarker(content)}\n`;
  const own = `TODO.${run.runId}.md`;
  for (;;) {
    const file = [usual, own].find((name) => isOurs(findList(root, name), run.runId)) ?? own;
    const before = findList(root, file);
    const blocked = [usual, file].find((name) => findList(root, name).type === "link");
    if (blocked !== undefined) return no({ code: "todo-blocked", file: blocked, problem: "it is a symbolic link" });
    if (!isOurs(before, run.runId)) {
      return no({ code: "todo-blocked", file, problem: "what is there is not this run's list" });
    }
    if (swap(join(root, file), text, () => isSame(findList(root, file), before))) return { file, text, before };
  }
}

function isOurs(found: Found, runId: string): boolean {
  return found.type === "nothing" || (found.type === "list" && found.owner === runId);
}

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
