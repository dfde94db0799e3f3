import type { Parking } from "../../model/driving/driving.ts";
import type { Notice } from "../../model/driving/notice.ts";
import { shellWord } from "../../model/quote.ts";
import type { Ending } from "../../runner/driver.ts";
import type { DrivePlan } from "../../runner/plan.ts";
import { facts } from "../terminal/layout.ts";
import type { Paint } from "../terminal/paint.ts";
import { oneLine, revealed, sanitizeText } from "../terminal/sanitize.ts";
import { localClock, localTime } from "../terminal/wording.ts";
import { wrapText } from "../terminal/wrap-text.ts";

/** What the runner is about to do, and with `--dry-run` the first prompt. */
export function printPlan(plan: DrivePlan, paint: Paint, prompt: string | null): string {
  const { workflow, steps, commands, grants, agent, version, pays, permissions, note, budget, limits } = plan;
  const most = [...Object.entries(budget ?? {}), ...Object.entries(limits)].map(([what, limit]) => `${limit} ${what}`);
  const rows: [string, string][] = [
    ["Workflow", `${workflow}: ${steps.map(({ id }) => id).join(", ")}`],
    ["Agent", version === undefined ? agent : `${agent} ${version}`],
    ["Pays", pays ?? "unknown: the program decides"],
    ["May", permissions === null ? "do whatever the program does" : (mays[permissions] ?? permissions)],
    ...(note === undefined ? [] : [["Settings", note] as [string, string]]),
    ["Runs", commands.length === 0 ? "no commands of the workflow" : commands.join("; ")],
    ...(grants.length === 0 ? [] : [["Grants", grants.join("; ")] as [string, string]]),
    ["Limits", most.length === 0 ? "none" : most.join(", ")],
  ];
  const head = facts(
    rows.map(([name, fact]) => [name, revealed(fact)] as const),
    paint.edge,
  );
  return prompt === null ? head : `${head}\n${wrapText(sanitizeText(prompt === "" ? noPrompt : prompt), paint.edge)}\n`;
}

const noPrompt = "The first step is a command that Holdfast runs itself.";

const mays: Readonly<Record<string, string>> = {
  read: "read files (--permissions read)",
  edit: "edit files (--permissions edit)",
  full: "do everything that the agent program can (--permissions full)",
};

/** One line for each thing that happens, for a log. */
export function printNotice(notice: Notice, at: string, paint: Paint): string {
  const text = textOf(notice, paint);
  if (text === null) return "";
  const time = paint.dim(localClock(at));
  return text
    .split("\n")
    .map((line, index) => `${index === 0 ? time : " ".repeat(8)}  ${line}\n`)
    .join("");
}

function textOf(notice: Notice, paint: Paint): string | null {
  switch (notice.type) {
    case "run":
      return `${notice.resumed ? "resumed" : "started"} ${paint.strong(notice.run)} with ${notice.agent}`;
    case "visit": {
      const task =
        notice.task === undefined
          ? ""
          : `  task ${notice.task.number}/${notice.task.total}: ${oneLine(notice.task.title)}`;
      return `${paint.strong(`${notice.number}/${notice.steps} ${notice.step}`)}  ${paint.dim(notice.token)}${task}`;
    }
    case "text":
      return quoted(notice.text, paint);
    case "tool":
      return paint.dim(`  ${notice.name} ${oneLine(notice.detail)}`);
    case "note":
      return `note: ${oneLine(notice.text)}`;
    case "denied":
      return paint.bad(`  denied: ${notice.tool}`);
    case "context":
      return `${notice.action}: ${notice.proved ? "done" : "the agent could not do it"}`;
    case "check":
      return oneLine(notice.what);
    case "refused":
      return `${paint.bad("not done yet:")} ${sanitizeText(notice.message)}`;
    case "done":
      return paint.good("done");
    case "failed":
      return `${paint.bad("failed:")} ${sanitizeText(notice.reason)}`;
    case "lost":
      return `${paint.bad("lost the agent:")} ${sanitizeText(notice.reason)}`;
    case "retry":
      return `${paint.bad(`trying again at ${localClock(notice.until)}:`)} ${sanitizeText(notice.reason)}`;
    case "parked":
      return `${paint.bad("parked:")} ${sanitizeText(notice.reason)}${untilText(notice)}`;
    case "usage":
    case "ended":
      return null;
  }
}

function untilText({ until }: Parking): string {
  return until === undefined ? "" : `, until ${localTime(until, "minutes")}`;
}

function quoted(text: string, paint: Paint): string | null {
  const said = sanitizeText(text).trim();
  return said === ""
    ? null
    : said
        .split("\n")
        .map((line) => paint.dim(`  | ${line}`))
        .join("\n");
}

/** Printed at once: ending the agent may take seconds, and a second Ctrl-C ends everything before it has ended. */
export function printStopping(run: string, agent: string, paint: Paint): string {
  const text = `${paint.strong("stopping.")} A visit that has not ended is done again when you resume.`;
  return `${text}\n${facts([["Next", resumeCall(run, agent)]], paint.edge)}`;
}

function resumeCall(run: string, agent: string): string {
  return `holdfast run --resume ${run}${agent === "claude" ? "" : ` --agent ${shellWord(agent)}`}`;
}

/** How it ended, and how to go on. */
export function printEnding(ending: Ending, run: string, agent: string, paint: Paint): string {
  const resume = resumeCall(run, agent);
  switch (ending.type) {
    case "complete":
      return `${paint.good("complete")} ${run}\n`;
    case "failed":
      return `${paint.bad("failed:")} ${sanitizeText(ending.reason)}\n${facts([["Next", `holdfast reopen --run ${run}, or holdfast log --run ${run}`]], paint.edge)}`;
    case "waits": {
      const rows = [
        ["Next", ending.next],
        ["Then", resume],
      ] as const;
      return `${paint.strong("waits for you:")} ${revealed(ending.reason)}\n${facts(rows, paint.edge)}`;
    }
    case "parked":
      return `${paint.strong("parked:")} ${revealed(ending.reason)}${untilText(ending)}\n${facts([["Next", resume]], paint.edge)}`;
    case "interrupted":
      return `${paint.strong("stopped.")}\n`;
    case "refused":
      return "";
  }
}
