import type { Notice } from "../../model/driving/notice.ts";
import type { DrivePlan } from "../../runner/plan.ts";
import { bothEnds, clip, wrap } from "../terminal/layout.ts";
import type { Paint } from "../terminal/paint.ts";
import { oneLine, sanitizeText } from "../terminal/sanitize.ts";
import { localClock, localTime, plural } from "../terminal/wording.ts";

/** What a person sees while a run is driven: steps, time, tokens, cost, and the agent's last lines. */
export interface LiveView {
  take(notice: Notice): void;
  /** For a terminal of this width. */
  lines(nowMs: number, width: number): string[];
}

const mostLines = 4;
/** On a wider terminal the right-hand texts would be too far from the left-hand ones. */
const widest = 100;

export function createLiveView({ workflow, steps }: DrivePlan, paint: Paint, startMs: number): LiveView {
  const entered = new Set<string>();
  let visit: Extract<Notice, { type: "visit" }> | null = null;
  let usage: Extract<Notice, { type: "usage" }> | null = null;
  let doing = "starting";
  let said: readonly string[] = [];
  const step = (id: string) => {
    if (id === visit?.step) return paint.strong(`▸ ${id}`);
    return entered.has(id) ? paint.good(`✓ ${id}`) : paint.dim(`· ${id}`);
  };
  return {
    take(notice) {
      doing = doingOf(notice) ?? doing;
      if (notice.type === "usage") usage = notice;
      if (notice.type === "text") said = [...said, ...shownLines(notice.text)].slice(-mostLines);
      if (notice.type !== "visit") return;
      visit = notice;
      said = [];
      entered.add(notice.step);
    },
    lines(nowMs, width) {
      const columns = Math.min(width, widest);
      const right = [clock(nowMs - startMs), ...usageOf(usage)].join(" · ");
      const task = visit?.task;
      const at = task === undefined ? "" : `  task ${task.number}/${task.total}: ${oneLine(task.title)}`;
      const names = steps.map(({ id }) => step(id));
      return [
        paint.dim("─".repeat(columns)),
        bothEnds(paint.strong(workflow), right, columns) ?? clip(right, columns),
        ...wrap(names, { columns, indent: "  ", between: "   " }),
        `  ${clip(`${doing}${at}`, columns - 2)}`,
        ...said.map((line) => paint.dim(`  | ${clip(line, columns - 4)}`)),
      ];
    },
  };
}

/** What is under way after a notice; null if it does not change that. */
function doingOf(notice: Notice): string | null {
  switch (notice.type) {
    case "visit":
      return `the agent works on ${notice.token}`;
    case "tool":
      return oneLine(`${notice.name} ${notice.detail}`);
    case "check":
      return oneLine(notice.what);
    case "context":
      return `${notice.action} ${notice.proved ? "done" : "not done"}`;
    case "refused":
      return "the agent gets what is missing";
    case "lost":
      return "the agent was lost; starting it again";
    case "retry":
      return `trying again at ${localClock(notice.until)}`;
    case "parked":
      return notice.until === undefined
        ? "parked"
        : `parked until ${localTime(notice.until, "minutes")}: ${oneLine(notice.reason)}`;
    default:
      return null;
  }
}

function shownLines(text: string): string[] {
  return sanitizeText(text)
    .split("\n")
    .map((line) => line.trim())
    .filter((line) => line !== "");
}

function usageOf(usage: Extract<Notice, { type: "usage" }> | null): string[] {
  if (usage === null) return [];
  const { turns, tokens, cost } = usage;
  return [
    plural(turns, "turn"),
    ...(tokens === null ? [] : [`${tokens < 10_000 ? tokens : `${Math.round(tokens / 1_000)}k`} tokens`]),
    ...(cost === null ? [] : [`$${cost.toFixed(2)}`]),
  ];
}

function clock(ms: number): string {
  const seconds = Math.floor(ms / 1_000);
  const two = (part: number) => String(part).padStart(2, "0");
  const hours = Math.floor(seconds / 3_600);
  return `${hours > 0 ? `${hours}:` : ""}${two(Math.floor(seconds / 60) % 60)}:${two(seconds % 60)}`;
}
