import { defineCommand, flagOption, type OptionSpec, runOption, textOption } from "../command/command.ts";
import { printDecided, printDecision, printReset, printWhere } from "../print/print-status.ts";

const reason: OptionSpec = { type: "string", value: "TEXT", about: "why" };
const task: OptionSpec = { type: "string", value: "ID", about: "the task, where several visits wait" };
const token: OptionSpec = { type: "string", value: "TOKEN", about: "the visit, as status shows it" };

export const approve = defineCommand({
  name: "approve",
  area: "For people",
  operation: "approve",
  positionals: [],
  options: { reason, task, token },
  about: "Approve the step that waits for approval. Agents cannot do this.",
  examples: ["holdfast approve", 'holdfast approve --reason "looks right"'],
  input: async (parsed) => ({
    run: runOption(parsed),
    reason: textOption(parsed, "reason"),
    task: textOption(parsed, "task"),
    token: textOption(parsed, "token"),
  }),
  print: printDecided,
});

export const reject = defineCommand({
  name: "reject",
  area: "For people",
  operation: "reject",
  positionals: [],
  options: { reason: { ...reason, about: "what has to change (required)" }, task, token },
  about: "Reject the step that waits for approval, and say what has to change. Agents cannot do this.",
  examples: ['holdfast reject --reason "keep the toggle out of the header"'],
  input: async (parsed) => ({
    run: runOption(parsed),
    reason: textOption(parsed, "reason"),
    task: textOption(parsed, "task"),
    token: textOption(parsed, "token"),
  }),
  print: printDecided,
});

export const release = defineCommand({
  name: "release",
  area: "For people",
  operation: "release",
  positionals: ["[task]"],
  options: { task, token },
  about:
    "Take a task from the agent that works on it, where several work on a loop, so that another can. Its answer no longer counts. Agents cannot do this.",
  examples: ["holdfast release t2"],
  input: async (parsed) => ({
    run: runOption(parsed),
    task: parsed.positionals[0] ?? textOption(parsed, "task"),
    token: textOption(parsed, "token"),
  }),
  print: printWhere,
});

export const decide = defineCommand({
  name: "decide",
  area: "For people",
  operation: "decide",
  positionals: ["[retry|skip|go_to|continue|pivot|escalate|abandon]", "[step]"],
  options: {
    reason,
    feedback: { type: "string", value: "TEXT", about: "a message for the agent" },
    task,
    token,
  },
  about:
    "Decide about a failure (retry, skip, go_to <step>, abandon) or a spent budget (continue, pivot, escalate, abandon). Without a decision, list what is pending. Agents cannot decide.",
  examples: [
    "holdfast decide",
    'holdfast decide retry --reason "the server is up again"',
    "holdfast decide go_to plan",
    'holdfast decide pivot --feedback "use the existing store"',
  ],
  input: async (parsed) => ({
    run: runOption(parsed),
    verdict: parsed.positionals[0],
    step: parsed.positionals[1],
    reason: textOption(parsed, "reason"),
    feedback: textOption(parsed, "feedback"),
    task: textOption(parsed, "task"),
    token: textOption(parsed, "token"),
  }),
  print: printDecision,
});

export const reopen = defineCommand({
  name: "reopen",
  area: "For people",
  operation: "reopen",
  positionals: ["<run>"],
  options: { at: { type: "string", value: "STEP", about: "the step to go on with" }, reason },
  about: "Revive a run that failed or was aborted, with its outputs. Agents cannot do this.",
  examples: ["holdfast reopen feature", "holdfast reopen feature --at build"],
  input: async (parsed) => ({
    run: parsed.positionals[0],
    at: textOption(parsed, "at"),
    reason: textOption(parsed, "reason"),
  }),
  print: printWhere,
});

export const pause = defineCommand({
  name: "pause",
  area: "For people",
  operation: "pause",
  positionals: [],
  options: { reason },
  about: "Pause a run. The agent is told to wait.",
  examples: ['holdfast pause --reason "waiting for the API key"'],
  input: async (parsed) => ({ run: runOption(parsed), reason: textOption(parsed, "reason") }),
  print: printWhere,
});

export const tell = defineCommand({
  name: "tell",
  area: "For people",
  operation: "tell",
  positionals: ["<run>", "<text...>"],
  options: {},
  about: "Send a message to the agent that `holdfast run` drives. It is part of the agent's next prompt.",
  examples: ['holdfast tell feature "Use the colours of the design system"'],
  input: async (parsed) => ({ run: parsed.positionals[0], text: parsed.positionals.slice(1).join(" ") }),
  print: printWhere,
});

export const resume = defineCommand({
  name: "resume",
  area: "For people",
  operation: "resume",
  positionals: [],
  options: {},
  about: "Resume a paused run.",
  examples: ["holdfast resume"],
  input: async (parsed) => ({ run: runOption(parsed) }),
  print: printWhere,
});

export const abort = defineCommand({
  name: "abort",
  area: "For people",
  operation: "abort",
  positionals: [],
  options: { reason, yes: { type: "boolean", about: "do not ask for confirmation" } },
  about: "End a run. Its journal is kept, and a person can reopen it.",
  examples: ['holdfast abort --reason "no longer needed"'],
  input: async (parsed) => ({
    run: runOption(parsed),
    reason: textOption(parsed, "reason"),
    yes: flagOption(parsed, "yes"),
  }),
  print: printWhere,
});

export const goTo = defineCommand({
  name: "goto",
  area: "For people",
  operation: "goto",
  positionals: ["<step>"],
  options: { reason: { ...reason, about: "why (required)" } },
  about: "Move a run to another step. Agents cannot do this.",
  examples: ['holdfast goto plan --reason "the design changed"'],
  input: async (parsed) => ({
    run: runOption(parsed),
    step: parsed.positionals[0],
    reason: textOption(parsed, "reason"),
  }),
  print: printWhere,
});

export const reset = defineCommand({
  name: "reset",
  area: "For people",
  operation: "reset",
  positionals: [],
  options: {},
  about: "Abort a run and start its workflow again. Agents cannot do this.",
  examples: ["holdfast reset"],
  input: async (parsed) => ({ run: runOption(parsed) }),
  print: printReset,
});

export const adopt = defineCommand({
  name: "adopt",
  area: "For people",
  operation: "adopt",
  positionals: ["[run]"],
  options: {},
  about: "Continue a run with the current version of its workflow file.",
  examples: ["holdfast adopt"],
  input: async (parsed) => ({ run: runOption(parsed, parsed.positionals[0]) }),
  print: printWhere,
});
