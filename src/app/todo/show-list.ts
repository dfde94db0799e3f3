import type { StartedRun } from "../../model/run.ts";
import { currentItem, doneCount, todoItems, withoutMarker } from "../../model/todo.ts";
import { findList, hashOf } from "./read-list.ts";

/** A run's todo list as it stands in the worktree. */
export interface TodoList {
  readonly file: string;
  readonly items: number;
  readonly done: number;
  readonly current: string | null;
  /** Whether someone has changed the file since we wrote it. */
  readonly edited: boolean;
  readonly list: string;
}

/** Null for a run that has no list, or whose list is not there any more. */
export function listOf(root: string, run: Pick<StartedRun, "runId" | "todo">): TodoList | null {
  if (run.todo === null) return null;
  const { file, hash } = run.todo;
  const found = findList(root, file);
  if (found.type !== "list" || found.owner !== run.runId) return null;
  return { ...describeList(file, found.text), edited: hashOf(found.text) !== hash };
}

export function describeList(file: string, text: string): Omit<TodoList, "edited"> {
  const items = todoItems(text);
  return { file, items: items.length, done: doneCount(items), current: currentItem(items), list: withoutMarker(text) };
}
