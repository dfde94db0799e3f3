import { truncateHead } from "../../model/truncate.ts";
import type { UserMessage } from "./message.ts";

/** The summary of messages that left the window. */
export interface Summary {
  readonly goal: string;
  readonly constraints: readonly string[];
  readonly done: readonly string[];
  readonly decisions: readonly string[];
  readonly next: readonly string[];
  readonly filesRead: readonly string[];
  readonly filesChanged: readonly string[];
}

export interface KeptSummary {
  readonly summary: Summary;
  /** The number of summarized messages. */
  readonly replaced: number;
}

export type SummaryList = Exclude<keyof Summary, "goal">;

/** In display order. */
export const summaryLists: readonly (readonly [SummaryList, string])[] = [
  ["constraints", "Constraints"],
  ["done", "Done"],
  ["decisions", "Decisions"],
  ["next", "Next"],
  ["filesRead", "Files read"],
  ["filesChanged", "Files changed"],
];

export const emptySummary: Summary = {
  goal: "",
  constraints: [],
  done: [],
  decisions: [],
  next: [],
  filesRead: [],
  filesChanged: [],
};

const longestLine = 500;

/** Parses a summarizer's result; null if it is invalid or empty. */
export function readSummary(value: unknown): Summary | null {
  if (typeof value !== "object" || value === null) return null;
  const fields = value as Record<string, unknown>;
  const lists = summaryLists.map(([name]) => [name, readLines(fields[name])] as const);
  const goal = readLine(fields.goal);
  if (goal === null || lists.some(([, lines]) => lines === null)) return null;
  if (goal === "" && lists.every(([, lines]) => lines?.length === 0)) return null;
  return { ...emptySummary, goal, ...Object.fromEntries(lists) };
}

function readLines(value: unknown): string[] | null {
  if (value === undefined) return [];
  if (!Array.isArray(value)) return null;
  const lines = value.map(readLine);
  return lines.some((line) => line === null) ? null : lines.filter((line) => line !== null && line !== "").map(String);
}

function readLine(value: unknown): string | null {
  if (value === undefined) return "";
  if (typeof value !== "string") return null;
  const line = value
    .replace(/\p{Surrogate}/gu, "\uFFFD")
    .replace(/\s+/g, " ")
    .trim();
  return truncateHead(line, longestLine);
}

/** Removes lines that repeat a block of the system prompt. */
export function withoutBlocks(summary: Summary, blocks: readonly string[]): Summary {
  const isNew = (line: string) => !blocks.some((block) => line.includes(block));
  const lists = summaryLists.map(([name]) => [name, summary[name].filter(isNew)] as const);
  return { ...summary, goal: isNew(summary.goal) ? summary.goal : "", ...Object.fromEntries(lists) };
}

/** The message that contains the summary. It has the role user, so that the conversation can continue from it. */
export function summaryMessage({ summary, replaced }: KeptSummary): UserMessage {
  const lists = summaryLists.flatMap(([name, title]) =>
    summary[name].length === 0 ? [] : [`${title}:`, ...summary[name].map((line) => `- ${line}`)],
  );
  const goal = summary.goal === "" ? [] : [`Goal: ${summary.goal}`];
  const head = `[Summary of ${replaced} earlier ${replaced === 1 ? "message" : "messages"}]`;
  return { role: "user", content: [head, ...goal, ...lists].join("\n") };
}
