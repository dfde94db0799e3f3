import { parseJson } from "../json.ts";
import { type Task, taskProblem } from "../task.ts";

/** A list of tasks as a command, a file or an agent writes it. `done` counts the checked boxes, which are left out. */
export type TaskList =
  | { readonly ok: true; readonly tasks: readonly Task[]; readonly done: number }
  | { readonly ok: false; readonly problem: string };

const mostTasks = 10_000;

/**
 * Reads a JSON list, or the boxes of a Markdown list. Text with neither is a problem and no empty list: an empty list skips
 * its loop, which must not happen by mistake.
 */
export function parseTaskList(content: string): TaskList {
  const text = content.replace(/^\uFEFF/, "").replace(/\r\n?/g, "\n");
  if (text.trim() === "") return bad("it is empty; if there is no task, it must be []");
  const value = parseJson(text);
  if (value !== undefined) return fromJson(value);
  const { boxes, block } = readMarkdown(text);
  if (boxes.length > 0) return fromBoxes(boxes);
  const inBlock = block === null ? undefined : parseJson(block);
  if (inBlock !== undefined) return fromJson(inBlock);
  return bad(/^\s*[[{]/.test(text) ? "it begins like JSON, but is not valid JSON" : noTask);
}

const noTask = 'it has no task; write a JSON list, or a Markdown list with a box before each task: "- [ ] title"';

function bad(problem: string): TaskList {
  return { ok: false, problem };
}

/** Texts get the ids t1, t2, ...; everything else must be as `set_tasks` takes it. */
function fromJson(value: unknown): TaskList {
  if (!Array.isArray(value)) return bad("it is JSON, but not a list");
  const items: readonly unknown[] = value;
  const tasks = items.map((item, index) => (typeof item === "string" ? { id: `t${index + 1}`, title: item } : item));
  return checked(tasks, 0, (index) => `task ${index + 1}`);
}

function fromBoxes(boxes: readonly Box[]): TaskList {
  const open = boxes.flatMap((box, index) => (box.done ? [] : [{ ...box, id: `t${index + 1}` }]));
  const tasks = open.map(({ id, title, below, column }) => {
    const description = below
      .map((line) => withoutIndent(line, column))
      .join("\n")
      .trim();
    return description === "" ? { id, title } : { id, title, description };
  });
  return checked(tasks, boxes.length - open.length, (index) => `line ${open[index]?.line ?? 0}`);
}

function checked(tasks: readonly unknown[], done: number, whereIs: (index: number) => string): TaskList {
  if (tasks.length > mostTasks) {
    return bad(
      `it has ${tasks.length.toLocaleString("en")} tasks; at most ${mostTasks.toLocaleString("en")} are allowed`,
    );
  }
  const problem = taskProblem(tasks);
  if (problem !== null) return bad(`${whereIs(problem.index)}: ${problem.problem}`);
  // Every task has been checked.
  return { ok: true, tasks: tasks as readonly Task[], done };
}

/** An item with a box that is not below another one, and everything below it. */
interface Box {
  readonly line: number;
  readonly done: boolean;
  readonly title: string;
  readonly below: string[];
  /** Where the text of the item begins: what belongs to it is indented at least as far. */
  readonly column: number;
}

interface Fence {
  readonly sign: string;
  readonly column: number;
  readonly lines: string[];
}

/** The list items around the current line, the outermost first. */
interface Reader {
  readonly boxes: Box[];
  /** The last block of code that begins like a JSON list. */
  block: string | null;
  readonly items: { readonly column: number; readonly box: Box | null }[];
  fence: Fence | null;
  isComment: boolean;
}

function readMarkdown(text: string): Reader {
  const reader: Reader = { boxes: [], block: null, items: [], fence: null, isComment: false };
  for (const [index, line] of text.split("\n").entries()) readLine(reader, line, index + 1);
  return reader;
}

function readLine(reader: Reader, line: string, number: number): void {
  const words = line.trim();
  const column = words === "" ? Number.POSITIVE_INFINITY : indentOf(line);
  while (column < (reader.items.at(-1)?.column ?? 0)) reader.items.pop();
  const owner = reader.items.find(({ box }) => box !== null)?.box;
  if (reader.isComment) {
    reader.isComment = !words.includes("-->");
    return;
  }
  if (isFenced(reader, line, words, column)) {
    owner?.below.push(line);
    return;
  }
  // Further to the right it is code, or the continuation of a text.
  const isText = column - (reader.items.at(-1)?.column ?? 0) >= 4;
  if (!isText && words.startsWith("<!--")) reader.isComment = !words.includes("-->");
  else {
    owner?.below.push(line);
    if (!isText) readItem(reader, words, column, owner === undefined ? number : null);
  }
}

/** Whether the line is a part of a block of code, its first and last line included. A block ends with its list item, too. */
function isFenced(reader: Reader, line: string, words: string, column: number): boolean {
  const { fence } = reader;
  if (fence !== null && column >= fence.column) {
    const isEnd = words.startsWith(fence.sign) && words.replaceAll(fence.sign[0] ?? "", "") === "";
    if (!isEnd) fence.lines.push(line);
    else if (fence.lines[0]?.trimStart().startsWith("[")) reader.block = fence.lines.join("\n");
    reader.fence = isEnd ? null : fence;
    return true;
  }
  const base = reader.items.at(-1)?.column ?? 0;
  const sign = column - base < 4 ? (/^(?:`{3,}(?=[^`]*$)|~{3,})/.exec(words)?.[0] ?? null) : null;
  reader.fence = sign === null ? null : { sign, column: base, lines: [] };
  return sign !== null;
}

/** A list item; with a box it is a task, unless it is below another one, which has no `number`. */
function readItem({ items, boxes }: Reader, words: string, column: number, number: number | null): void {
  const [marker, sign = "", gap = "", rest = ""] = /^([-*+]|\d{1,9}[.)])(\s+|$)(.*)$/.exec(words) ?? [];
  if (marker === undefined) return;
  const inner = column + sign.length + (gap.length >= 1 && gap.length <= 4 ? gap.length : 1);
  const [found, mark, title = ""] = /^\[([ xX])\](?:\s+(.*))?$/.exec(rest) ?? [];
  const box =
    found === undefined || number === null
      ? null
      : { line: number, done: mark !== " ", title: title.replace(/\s+/g, " "), below: [], column: inner };
  if (box !== null) boxes.push(box);
  items.push({ column: inner, box });
}

function indentOf(line: string): number {
  let column = 0;
  for (const sign of line) {
    if (sign === "\t") column += 4 - (column % 4);
    else if (sign === " ") column += 1;
    else break;
  }
  return column;
}

function withoutIndent(line: string, columns: number): string {
  let at = 0;
  while (at < columns && line[at] === " ") at += 1;
  return line.slice(at);
}
