import { quote } from "../../model/quote.ts";
import { visibleJson } from "../../model/written/unseen-text.ts";
import { defineCommand, flagOption, type ParsedArguments, runOption, textOption } from "../command/command.ts";
import { printContext } from "../print/print-context.ts";
import { printDifferences } from "../print/print-differences.ts";
import { printEvents } from "../print/print-events.ts";
import { printHandoff } from "../print/print-handoff.ts";
import { printRuns } from "../print/print-lists.ts";
import { printReport, printReportMarkdown } from "../print/print-report.ts";
import { printSessions } from "../print/print-sessions.ts";
import { printOverview } from "../print/print-status.ts";
import { printVisitLog } from "../print/print-visit-log.ts";
import { UsageError } from "../terminal/usage-error.ts";

/** People get an overview, --json prints what an agent gets. Both are read-only. */
export const status = defineCommand({
  name: "status",
  area: "Inspect runs",
  operation: "overview",
  jsonOperation: "status",
  positionals: [],
  options: {
    at: { type: "string", value: "N", about: "as it was right after event N; `holdfast log` lists the events" },
  },
  about: "Show where a run stands. This is read-only; use it at any time.",
  examples: ["holdfast status", "holdfast status --json | jq .step", "holdfast status --at 12"],
  input: async (parsed) => ({ run: runOption(parsed), at: eventOf(textOption(parsed, "at"), "--at") }),
  print: printOverview,
});

export const runs = defineCommand({
  name: "runs",
  area: "Inspect runs",
  operation: "runs",
  positionals: [],
  options: {
    live: { type: "boolean", about: "only live runs" },
    all: {
      type: "boolean",
      about: "all runs, not only the newest 50; --json lists every run that is kept in files, with or without this",
    },
    limit: { type: "string", value: "N", about: "the newest N runs" },
  },
  about: "List the runs of this project, newest first.",
  examples: ["holdfast runs", "holdfast runs --live --json"],
  input: async (parsed) => ({ live: flagOption(parsed, "live"), limit: limitIn(parsed) }),
  print: (value, paint, parsed) => printRuns(value, paint, limitIn(parsed) !== undefined),
});

function limitIn(parsed: ParsedArguments): number | undefined {
  const limit = textOption(parsed, "limit");
  if (limit === undefined) return flagOption(parsed, "all") ? mostListed : undefined;
  if (!/^[1-9]\d{0,4}$/.test(limit))
    throw new UsageError(`--limit must be a number from 1 to 99999, not ${quote(limit)}`);
  return Number(limit);
}

const mostListed = 100_000;

export const sessions = defineCommand({
  name: "sessions",
  area: "Inspect runs",
  operation: "sessions",
  positionals: ["[run]"],
  options: {},
  about: "List the sessions that worked on a run: where, when, and how they ended.",
  examples: ["holdfast sessions", "holdfast sessions --json | jq '.session_history[].environment'"],
  input: async (parsed) => ({ run: runOption(parsed, parsed.positionals[0]) }),
  print: printSessions,
});

export const log = defineCommand({
  name: "log",
  area: "Inspect runs",
  operation: "log",
  positionals: [],
  options: {
    after: { type: "string", value: "N", about: "only events after number N" },
    follow: { type: "boolean", about: "keep printing new events until the run ends" },
    visit: { type: "string", value: "TOKEN", about: "what the agent of `holdfast run` was asked, did and answered" },
  },
  about: "Print the events of a run. This checks every line of the journal.",
  examples: ["holdfast log", "holdfast log --follow --json", "holdfast log --visit plan#1"],
  input: async (parsed) => ({
    run: runOption(parsed),
    after: numberOf(textOption(parsed, "after"), "--after"),
    visit: textOption(parsed, "visit"),
    // A line shows the beginning of each text.
    brief: !flagOption(parsed, "json"),
  }),
  print: (value, paint) =>
    value.visit === undefined ? printEvents(value.events, paint, value) : printVisitLog(value.visit, paint),
});

export const report = defineCommand({
  name: "report",
  area: "Inspect runs",
  operation: "report",
  positionals: ["[run]"],
  options: { markdown: { type: "boolean", about: "as Markdown, for a pull request" } },
  about: "Sum up a run: time, tokens, cost, attempts and gates of each step.",
  examples: ["holdfast report", "holdfast report --markdown > report.md"],
  input: async (parsed) => ({ run: runOption(parsed, parsed.positionals[0]) }),
  print: (value, paint, parsed) =>
    flagOption(parsed, "markdown") ? printReportMarkdown(value) : printReport(value, paint),
});

export const show = defineCommand({
  name: "show",
  area: "Inspect runs",
  operation: "show",
  positionals: ["<event>"],
  options: {},
  about: "Print one event in full, such as an output or what a gate printed.",
  examples: ["holdfast show 12"],
  input: async (parsed) => ({ run: runOption(parsed), event: numberOf(parsed.positionals[0], "<event>") }),
  print: (event) => `${visibleJson(JSON.stringify(event, null, 2))}\n`,
  texts: "verbatim",
});

export const diff = defineCommand({
  name: "diff",
  area: "Inspect runs",
  operation: "diff",
  positionals: ["<from>", "<to>"],
  options: {},
  about:
    "Show what changed in a run between two events: its step, variables, outputs, gates and more. " +
    "`holdfast log` lists the events by number.",
  examples: ["holdfast diff 12 40", "holdfast diff 12 40 --json | jq .changes"],
  input: async (parsed) => ({
    run: runOption(parsed),
    from: eventOf(parsed.positionals[0], "<from>"),
    to: eventOf(parsed.positionals[1], "<to>"),
  }),
  print: printDifferences,
});

export const handoff = defineCommand({
  name: "handoff",
  area: "Inspect runs",
  operation: "handoff",
  positionals: [],
  options: {
    at: {
      type: "string",
      value: "N",
      about: "what the agent was last shown at event N; `holdfast log` lists the events",
    },
  },
  about:
    "Print the text that puts an agent back on its run, or with --at what an agent was shown in the past. " +
    "What was not recorded is rebuilt from the state of the run, and says so.",
  examples: ["holdfast handoff", "holdfast handoff --at 12", "holdfast handoff --at 12 --json | jq .recorded"],
  input: async (parsed) => ({ run: runOption(parsed), at: eventOf(textOption(parsed, "at"), "--at") }),
  print: (value, paint, parsed) => printHandoff(value, paint, textOption(parsed, "at") !== undefined),
});

export const context = defineCommand({
  name: "context",
  area: "Inspect runs",
  operation: "context",
  positionals: ["[step]"],
  options: {},
  about: "Print the request and the rules of a run, and its outputs and decisions so far.",
  examples: ["holdfast context", "holdfast context plan --json | jq .outputs"],
  input: async (parsed) => ({ run: runOption(parsed), step: parsed.positionals[0] }),
  print: printContext,
});

function eventOf(text: string | undefined, name: string): number | undefined {
  if (text === undefined) return undefined;
  if (!/^0*[1-9]\d{0,14}$/.test(text)) {
    throw new UsageError(
      `${name} needs the number of an event, such as 12, not ${quote(text)}; holdfast log lists them`,
    );
  }
  return Number(text);
}

export function numberOf(text: string | undefined, name: string): number | undefined {
  if (text === undefined) return undefined;
  if (!/^\d{1,15}$/.test(text)) throw new UsageError(`${name} needs a whole number, not ${quote(text)}`);
  return Number(text);
}
