import { truncateHead } from "../../model/truncate.ts";
import type { Item } from "../conversation/history-types.ts";
import { callsOf, outputText, resultsOf, type ToolCallPart, wordsOf } from "../conversation/message.ts";
import { emptySummary, type Summary, type SummaryList, summaryLists } from "../conversation/summary.ts";

const reading = /read|view|open|list|search|grep|glob|cat\b/i;
const changing = /write|edit|patch|create|delete|remove|move|rename|apply|insert|replace/i;
/** How many of each kind are kept, the latest ones. */
const mostLines = 24;
const lineLength = 200;
const goOn = "Go on in ";

/** A summary without a model: only what a program can extract from the messages. */
export function digest(previous: Summary | null, items: readonly Item[], state: string | null): Summary {
  const before = previous ?? emptySummary;
  const calls = items.flatMap(({ message }) => callsOf(message));
  const found: Partial<Record<SummaryList, string[]>> = {
    done: [...firstLines(items, "assistant"), ...counted(calls), ...lastTest(items)],
    decisions: firstLines(items, "user"),
    next: state === null ? [] : [`${goOn}${state}.`],
    filesRead: paths(calls, (name) => !changing.test(name) && reading.test(name)),
    filesChanged: paths(calls, (name) => changing.test(name)),
  };
  const older = { ...before, next: before.next.filter((line) => !line.startsWith(goOn)) };
  const lists = summaryLists.map(([name]) => [name, latest([...older[name], ...(found[name] ?? [])])] as const);
  return { ...emptySummary, goal: before.goal, ...Object.fromEntries(lists) };
}

/** The most complete version that fits, or null if not even an empty one does. */
export function fitSummary(summary: Summary, fits: (candidate: Summary) => boolean): Summary | null {
  for (const [lines, length] of [
    [mostLines, lineLength],
    [12, 120],
    [6, 100],
    [3, 80],
    [1, 60],
    [0, 40],
  ] as const) {
    const lists = summaryLists.map(([name]) => [
      name,
      lines === 0 ? [] : summary[name].slice(-lines).map((line) => truncateHead(line, length)),
    ]);
    const candidate = { ...emptySummary, goal: truncateHead(summary.goal, length), ...Object.fromEntries(lists) };
    if (fits(candidate)) return candidate;
  }
  return fits(emptySummary) ? emptySummary : null;
}

function firstLines(items: readonly Item[], role: "user" | "assistant"): string[] {
  return items.filter(({ message }) => message.role === role).flatMap(({ message }) => firstLine(wordsOf(message)));
}

function counted(calls: readonly ToolCallPart[]): string[] {
  const times = new Map<string, number>();
  for (const { toolName } of calls) times.set(toolName, (times.get(toolName) ?? 0) + 1);
  const each = [...times].map(([name, count]) => `${name} × ${count}`);
  return each.length === 0 ? [] : [`Calls made: ${each.join(", ")}`];
}

function lastTest(items: readonly Item[]): string[] {
  const test = items.findLast(({ entry }) => entry.source === "test");
  if (test === undefined) return [];
  const results = resultsOf(test.message).map((part) => outputText(part.output));
  return firstLine([wordsOf(test.message), ...results].join("\n")).map((line) => `Last test result: ${line}`);
}

function paths(calls: readonly ToolCallPart[], fits: (name: string) => boolean): string[] {
  return calls.filter(({ toolName }) => fits(toolName)).flatMap(({ input }) => pathIn(input));
}

function pathIn(input: unknown): string[] {
  if (typeof input !== "object" || input === null) return [];
  const found = Object.entries(input).find(([key]) => /^(file_?)?(path|file|name)$/i.test(key));
  return typeof found?.[1] === "string" ? firstLine(found[1]) : [];
}

function firstLine(text: string): string[] {
  const line = text.trimStart().split("\n", 1)[0]?.replace(/\s+/g, " ").trim() ?? "";
  return line === "" ? [] : [truncateHead(line, lineLength)];
}

/** Removes duplicate lines; keeps the last occurrence. */
function latest(lines: readonly string[]): string[] {
  return [...new Set(lines.toReversed())].slice(0, mostLines).toReversed();
}
