import type { StartedRun } from "../../model/run.ts";
import { currentItem, doneCount, todoFiles, todoItems, withoutMarker } from "../../model/todo.ts";
import { findList, hashOf } from "./read-list.ts";

/** A run's todo list in the worktree. */
export interface TodoList {
  readonly file: string;
  readonly items: number;
  readonly done: number;
  readonly current: string | null;
  /** Whether someone has changed the file since we wrote it. */
  readonly edited: boolean;
  readonly list: string;
}

/** `gone`: the file was deleted or is no longer this run's list. */
export type TodoListState =
  | { readonly type: "list"; readonly list: TodoList }
  | { readonly type: "gone"; readonly file: string }
  | { readonly type: "unreadable"; readonly file: string; readonly problem: string };

/** Null for a run without a list. Reads only the two possible list files, whatever the state says. */
export function readListState(root: string, run: Pick<StartedRun, "runId" | "todo">): TodoListState | null {
  if (run.todo === null) return null;
  const { file, hash } = run.todo;
  const found = todoFiles(run.runId).includes(file) ? findList(root, file) : null;
  if (found?.type === "unreadable") return { ...found, file };
  if (found?.type !== "list" || found.owner !== run.runId) return { type: "gone", file };
  return { type: "list", list: { ...describeList(file, found.text), edited: hashOf(found.text) !== hash } };
}

/** Null for a run without a list, or if the list cannot be read. */
export function listOf(root: string, run: Pick<StartedRun, "runId" | "todo">): TodoList | null {
  const state = readListState(root, run);
  return state?.type === "list" ? state.list : null;
}

export function describeList(file: string, text: string): Omit<TodoList, "edited"> {
  const items = todoItems(text);
  return { file, items: items.length, done: doneCount(items), current: currentItem(items), list: withoutMarker(text) };
}
