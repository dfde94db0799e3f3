import * as z from "zod";
import type { Standing } from "../../journal/run-journal.ts";
import { isLive } from "../../model/run-state.ts";
import { parseTodo, withoutMarker } from "../../model/todo.ts";
import { type Deps, defineOperation, no, type Outcome, yes } from "../../operation/operation.ts";
import { changeRun } from "../runs/change-run.ts";
import { chooseRun } from "../runs/choose-run.ts";
import { ownRootOf } from "../runs/reply.ts";
import { type Found, hashOf } from "../todo/read-list.ts";
import { describeList, readListState, type TodoList } from "../todo/show-list.ts";
import { type Written, writeList } from "../todo/write-list.ts";
import { readFrozen } from "../workflows/frozen-template.ts";

/** `note` tells the caller about surprises; `previous` is the list as someone else had changed it. */
export type TodoReply = { readonly runId: string } & Partial<TodoList> & {
    readonly note?: string;
    readonly previous?: string;
  };

export const updateTodo = defineOperation({
  summary: "Replace the run's todo list, or show it.",
  input: z.strictObject({
    run: z.string().optional().describe("The run; by default the one this call belongs to."),
    content: z.string().optional().describe("The whole list, as checkboxes; omit to show the list."),
  }),
  async run(deps, { run: named, content }): Promise<Outcome<TodoReply>> {
    const chosen = await chooseRun(deps, named);
    if (!chosen.ok) return chosen;
    const { run } = chosen.value;
    const root = ownRootOf(deps, chosen.value);
    if (root === null) {
      return no({ code: "todo-blocked", file: "TODO.md", problem: "the run's worktree is gone" });
    }
    if (content !== undefined) return replaceList(deps, chosen.value, root, content);
    const state = readListState(root, run);
    if (state?.type === "unreadable") {
      return no({ code: "todo-blocked", file: state.file, problem: `it cannot be read: ${state.problem}` });
    }
    return yes({ runId: run.runId, ...(state?.type === "list" && state.list) });
  },
});

async function replaceList(deps: Deps, standing: Standing, root: string, content: string): Promise<Outcome<TodoReply>> {
  const { run } = standing;
  if (!isLive(run)) return no({ code: "run-ended", status: run.status, outputIgnored: false });
  const parsed = parseTodo(withoutMarker(content));
  if (!parsed.ok) return no({ code: "todo-invalid", problem: parsed.problem });
  const written = writeList(root, run, content);
  if ("ok" in written) return written;
  const { file, text } = written;
  const { template } = await readFrozen(deps, run);
  const list = describeList(file, text);
  const changed = await changeRun(deps, standing, template, {
    command: { type: "update-todo", file, hash: hashOf(text), items: list.items, done: list.done },
  });
  if (!changed.ok) return changed;
  return yes({ runId: run.runId, ...list, edited: false, ...todoNotes(standing, written) });
}

function todoNotes({ run }: Standing, { file, before }: Written): Pick<TodoReply, "note" | "previous"> {
  const stays = run.todo?.file === file && before.type === "list";
  const why = stays ? `the list is in ${file}, as before` : `TODO.md is not this run's, so the list is in ${file}`;
  const elsewhere = file === "TODO.md" ? [] : [why];
  const changed = run.todo === null ? [] : changeSince(run.todo, file, before);
  const previous = before.type === "list" && changed.length > 0 ? { previous: withoutMarker(before.text) } : {};
  const notes = [...elsewhere, ...changed];
  return notes.length === 0 ? {} : { note: notes.join("; "), ...previous };
}

function changeSince(last: { readonly file: string; readonly hash: string }, file: string, before: Found): string[] {
  if (last.file !== file || before.type === "nothing") return ["the list you wrote last was moved or removed"];
  const same = before.type === "list" && hashOf(before.text) === last.hash;
  return same
    ? []
    : ["someone changed the list after you wrote it: merge their changes from previous and send it again"];
}
