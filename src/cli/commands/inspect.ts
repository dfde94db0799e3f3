import { quote } from "../../model/quote.ts";
import { defineCommand, flagOption, runOption, textOption } from "../command/command.ts";
import { printEvents } from "../print/print-events.ts";
import { printRuns } from "../print/print-lists.ts";
import { printSessions } from "../print/print-sessions.ts";
import { printOverview } from "../print/print-status.ts";
import { UsageError } from "../terminal/usage-error.ts";

/** For people; with --json it is the agent's status, which takes nothing away either. */
export const status = defineCommand({
  name: "status",
  area: "looking",
  operation: "overview",
  jsonOperation: "status",
  positionals: [],
  options: {},
  about: "Where a run stands. Looking never takes anything away from the agent.",
  examples: ["holdfast status", "holdfast status --json | jq .step"],
  input: async (parsed) => ({ run: runOption(parsed) }),
  print: printOverview,
});

export const runs = defineCommand({
  name: "runs",
  area: "looking",
  operation: "runs",
  positionals: [],
  options: { live: { type: "boolean", about: "only runs that are still live" } },
  about: "The runs of this project, newest first.",
  examples: ["holdfast runs", "holdfast runs --live --json"],
  input: async (parsed) => ({ live: flagOption(parsed, "live") }),
  print: printRuns,
});

export const sessions = defineCommand({
  name: "sessions",
  area: "looking",
  operation: "sessions",
  positionals: ["[run]"],
  options: {},
  about: "The conversations that have worked on a run: where, when, and how they ended.",
  examples: ["holdfast sessions", "holdfast sessions --json | jq '.session_history[].environment'"],
  input: async (parsed) => ({ run: runOption(parsed, parsed.positionals[0]) }),
  print: printSessions,
});

export const log = defineCommand({
  name: "log",
  area: "looking",
  operation: "log",
  positionals: [],
  options: {
    after: { type: "string", value: "N", about: "only events after this one" },
    follow: { type: "boolean", about: "go on as events come, until the run ends" },
  },
  about: "The events of a run. Reading them checks every line of the journal.",
  examples: ["holdfast log", "holdfast log --follow --json"],
  input: async (parsed) => ({ run: runOption(parsed), after: numberOf(textOption(parsed, "after"), "--after") }),
  print: (value, paint) => printEvents(value.events, paint, value),
});

export const show = defineCommand({
  name: "show",
  area: "looking",
  operation: "show",
  positionals: ["<event>"],
  options: {},
  about: "One event, whole: an output, or what a gate printed.",
  examples: ["holdfast show 12"],
  input: async (parsed) => ({ run: runOption(parsed), event: numberOf(parsed.positionals[0], "<event>") }),
  print: (event) => `${JSON.stringify(event, null, 2)}\n`,
  verbatim: true,
});

export function numberOf(text: string | undefined, name: string): number | undefined {
  if (text === undefined) return undefined;
  if (!/^\d{1,15}$/.test(text)) throw new UsageError(`${name} wants a whole number, not ${quote(text)}`);
  return Number(text);
}
