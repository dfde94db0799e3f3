/** One line of a todo list. */
export interface TodoItem {
  readonly status: "pending" | "in_progress" | "done";
  readonly text: string;
}

export type ParsedTodo =
  | { readonly ok: true; readonly items: readonly TodoItem[] }
  | { readonly ok: false; readonly problem: string };

const longest = 20_000;
const mostItems = 50;

/** Parses a list of checkboxes: `[ ]` pending, `[-]` in progress, `[x]` done. Other lines between them are allowed. */
export function parseTodo(text: string): ParsedTodo {
  if (text.trim() === "") return { ok: false, problem: "is empty" };
  if (text.length > longest) return { ok: false, problem: "is longer than 20,000 characters" };
  if (/[^\P{Cc}\n\r\t]|\p{Cs}/u.test(text)) return { ok: false, problem: "is not plain text" };
  const items = todoItems(text);
  if (items.length === 0) return { ok: false, problem: "has no item" };
  if (items.length > mostItems) return { ok: false, problem: `has ${items.length} items; at most 50 are allowed` };
  return { ok: true, items };
}

export function todoItems(text: string): readonly TodoItem[] {
  return text.split(/\r?\n/).flatMap((line) => {
    const [, sign, words] = /^\s*(?:(?:[-*+]|\d{1,3}[.)])\s+)?\[([ xX-])\]\s+(\S.*)$/.exec(line) ?? [];
    return sign === undefined || words === undefined ? [] : [{ status: statusOf(sign), text: words.trim() }];
  });
}

/** The current item: the first one in progress, else the first pending one. */
export function currentItem(items: readonly TodoItem[]): string | null {
  const item = items.find(({ status }) => status === "in_progress") ?? items.find(({ status }) => status === "pending");
  return item?.text ?? null;
}

export function doneCount(items: readonly TodoItem[]): number {
  return items.filter(({ status }) => status === "done").length;
}

function statusOf(sign: string): TodoItem["status"] {
  if (sign === " ") return "pending";
  return sign === "-" ? "in_progress" : "done";
}

/** The files that may hold a run's list: TODO.md, or a file of its own if TODO.md belongs to someone else. */
export function todoFiles(runId: string): readonly [usual: string, own: string] {
  return ["TODO.md", `TODO.${runId}.md`];
}

/** The first line of every list that Holdfast writes; it names the run. */
export function todoMarker(runId: string): string {
  return `<!-- holdfast: the todo list of run ${runId}; update_todo_list replaces it whole -->`;
}

/** The run that a list belongs to; null for a file that Holdfast did not write. */
export function todoOwner(text: string): string | null {
  return markerPattern.exec(text)?.[1] ?? null;
}

/** The list without Holdfast's first line, as it is shown and sent back. */
export function withoutMarker(text: string): string {
  return text.replace(markerPattern, "").trim();
}

const markerPattern = /^\uFEFF?<!-- holdfast: the todo list of run (\S+); [^\n]*-->\s*/;
