import type { TrackedReply } from "../../app/continuity/tracked/change-tracked.ts";
import { defineCommand, listOption, type OptionSpec, type ParsedArguments, textOption } from "../command/command.ts";
import { pairs } from "../command/read-values.ts";
import { beside, facts } from "../terminal/layout.ts";
import type { Paint } from "../terminal/paint.ts";

const additions: Readonly<Record<string, OptionSpec>> = {
  reading: {
    type: "string",
    multiple: true,
    value: "PATH",
    about: "a file to read again after a compaction; repeatable",
  },
  reminder: { type: "string", multiple: true, value: "TEXT", about: "a rule to keep in mind; repeatable" },
  set: { type: "string", multiple: true, value: "NAME=VALUE", about: "a value to remember; repeatable" },
};
const status: OptionSpec = {
  type: "string",
  value: "STATUS",
  values: ["not_started", "in_progress", "completed", "blocked"],
  about: "not_started, in_progress (default), completed or blocked",
};
const workflow: OptionSpec = { type: "string", value: "NAME", about: "which workflow, if several are tracked" };

export const trackStart = defineCommand({
  name: "track start",
  area: "Track a workflow without a run",
  operation: "track-start",
  positionals: ["<workflow>"],
  options: {
    type: {
      type: "string",
      value: "TYPE",
      values: ["planning", "qa-loop", "implementation", "custom"],
      about: "planning, qa-loop, implementation or custom (default)",
    },
    phase: { type: "string", value: "N/TOTAL", about: "which phase of how many (default 1/1)" },
    name: { type: "string", value: "NAME", about: "the name of the phase" },
    status,
    ...additions,
  },
  about: "Keep a state card for a workflow of your own, so that it survives a compaction. No run is started.",
  examples: [
    'holdfast track start "Page Orchestration" --phase 1/10 --name Research',
    'holdfast track start "QA Loop" --type qa-loop --reading docs/qa.md',
    'holdfast track start "Plan 66" --reminder "Run tests" --set plan_number=66',
  ],
  input: async (parsed) => ({
    workflow: parsed.positionals[0],
    type: textOption(parsed, "type"),
    phase: textOption(parsed, "phase"),
    name: textOption(parsed, "name"),
    status: textOption(parsed, "status"),
    ...added(parsed),
  }),
  print: (reply, paint) => printTracked(reply, paint, "holdfast track phase, whenever a phase changes"),
});

export const trackPhase = defineCommand({
  name: "track phase",
  area: "Track a workflow without a run",
  operation: "track-phase",
  positionals: ["<phase>", "[name]"],
  options: { status, workflow, ...additions },
  about: "Record which phase the tracked workflow is in. The rest of its state card stays as it is.",
  examples: ['holdfast track phase 4/10 "SEO Generation"', "holdfast track phase 4/10 --status blocked"],
  input: async (parsed) => ({
    phase: parsed.positionals[0],
    name: parsed.positionals[1],
    status: textOption(parsed, "status"),
    workflow: textOption(parsed, "workflow"),
    ...added(parsed),
  }),
  print: (reply, paint) => printTracked(reply, paint, nextAfter(reply)),
});

export const trackRemind = defineCommand({
  name: "track remind",
  area: "Track a workflow without a run",
  operation: "track-remind",
  positionals: ["<reminder>"],
  options: { workflow },
  about: "Add a rule that the agent is reminded of after every compaction.",
  examples: ['holdfast track remind "Run tests after each component"'],
  input: async (parsed) => ({ reminder: parsed.positionals[0], workflow: textOption(parsed, "workflow") }),
  print: (reply, paint) => printTracked(reply, paint, nextAfter(reply)),
});

export const trackComplete = defineCommand({
  name: "track complete",
  area: "Track a workflow without a run",
  operation: "track-complete",
  positionals: [],
  options: { workflow },
  about: "Finish the tracked workflow. This deletes its state card, and the folder of the card if it is empty.",
  examples: ["holdfast track complete", 'holdfast track complete --workflow "QA Loop"'],
  input: async (parsed) => ({ workflow: textOption(parsed, "workflow") }),
  print: ({ workflow: name, notes }, paint) =>
    `${name} is complete; its state card was deleted\n${lines(notes, paint)}`,
});

function added(parsed: ParsedArguments): Record<string, unknown> {
  const set = Object.entries(pairs(parsed, "set") ?? {}).map(([name, text]) => [name, contextValue(text)] as const);
  return {
    reading: listOption(parsed, "reading"),
    reminder: listOption(parsed, "reminder"),
    set: Object.fromEntries(set),
  };
}

/** Numbers are stored as numbers, as other tools write them into a state card. */
function contextValue(text: string): string | number {
  return /^-?\d/.test(text) && String(Number(text)) === text ? Number(text) : text;
}

function printTracked(reply: TrackedReply, paint: Paint, next: string): string {
  const { workflow: name, phase, file, notes, required_reading, key_reminders } = reply;
  const where = `phase ${phase.current}/${phase.total} ${phase.name}`.trim();
  const head = beside(
    `${paint.strong(name)} · `,
    `${where} ${paint.dim(`(${phase.status.replace("_", " ")})`)}`,
    paint.edge,
  );
  const rows: [string, string][] = [
    ...(required_reading.length === 0 ? [] : [["Reading", required_reading.join(" ")] satisfies [string, string]]),
    ...key_reminders.map((reminder, index): [string, string] => [index === 0 ? "Reminders" : "", reminder]),
    ["Card", file],
    ["Next", next],
  ];
  return `${head}${lines(notes, paint)}${facts(rows, paint.edge)}`;
}

function nextAfter({ phase: { current, total, status: how } }: TrackedReply): string {
  const over = how === "completed" && current >= total;
  return over ? "finish it: holdfast track complete" : "continue; run holdfast track phase whenever a phase changes";
}

function lines(notes: readonly string[], paint: Paint): string {
  return notes.map((note) => beside("  note: ", note, paint.edge)).join("");
}
