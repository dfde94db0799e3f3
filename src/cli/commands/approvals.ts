import { defineCommand, type OptionSpec, runOption, textOption } from "../command/command.ts";
import { printReply, printWhere } from "../print/print-status.ts";

const reason: OptionSpec = { type: "string", value: "TEXT", about: "why" };
const token: OptionSpec = { type: "string", value: "TOKEN", about: "the visit that is meant" };

export const approve = defineCommand({
  name: "approve",
  area: "a person's",
  operation: "approve",
  positionals: [],
  options: { reason, token },
  about: "Approve the step that waits for it. For a person only.",
  examples: ["holdfast approve", 'holdfast approve --reason "looks right"'],
  input: async (parsed) => ({
    run: runOption(parsed),
    reason: textOption(parsed, "reason"),
    token: textOption(parsed, "token"),
  }),
  print: printWhere,
});

export const reject = defineCommand({
  name: "reject",
  area: "a person's",
  operation: "reject",
  positionals: [],
  options: { reason: { ...reason, about: "what has to change; needed" }, token },
  about: "Refuse to approve, and say what has to change. For a person only.",
  examples: ['holdfast reject --reason "keep the toggle out of the header"'],
  input: async (parsed) => ({
    run: runOption(parsed),
    reason: textOption(parsed, "reason"),
    token: textOption(parsed, "token"),
  }),
  print: printWhere,
});

export const decide = defineCommand({
  name: "decide",
  area: "a person's",
  operation: "decide",
  positionals: ["<continue|pivot|escalate|abandon>"],
  options: { feedback: { type: "string", value: "TEXT", about: "a word to the agent" }, token },
  about: "Decide how a spent budget goes on. For a person only.",
  examples: ["holdfast decide continue", 'holdfast decide pivot --feedback "use the store that is there"'],
  input: async (parsed) => ({
    run: runOption(parsed),
    verdict: parsed.positionals[0],
    feedback: textOption(parsed, "feedback"),
    token: textOption(parsed, "token"),
  }),
  print: printWhere,
});

export const pause = defineCommand({
  name: "pause",
  area: "a person's",
  operation: "pause",
  positionals: [],
  options: { reason },
  about: "Pause a run: the agent is told to wait.",
  examples: ['holdfast pause --reason "waiting for the API key"'],
  input: async (parsed) => ({ run: runOption(parsed), reason: textOption(parsed, "reason") }),
  print: printWhere,
});

export const resume = defineCommand({
  name: "resume",
  area: "a person's",
  operation: "resume",
  positionals: [],
  options: {},
  about: "Let a paused run go on.",
  examples: ["holdfast resume"],
  input: async (parsed) => ({ run: runOption(parsed) }),
  print: printWhere,
});

export const abort = defineCommand({
  name: "abort",
  area: "a person's",
  operation: "abort",
  positionals: [],
  options: { reason },
  about: "End a run for good. Its journal stays.",
  examples: ['holdfast abort --reason "not needed any more"'],
  input: async (parsed) => ({ run: runOption(parsed), reason: textOption(parsed, "reason") }),
  print: printWhere,
});

export const goTo = defineCommand({
  name: "goto",
  area: "a person's",
  operation: "goto",
  positionals: ["<step>"],
  options: { reason: { ...reason, about: "why; needed" } },
  about: "Move a run to another step. For a person only.",
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
  area: "a person's",
  operation: "reset",
  positionals: [],
  options: {},
  about: "Abort a run and start its workflow anew. For a person only.",
  examples: ["holdfast reset"],
  input: async (parsed) => ({ run: runOption(parsed) }),
  print: printReply,
});

export const adopt = defineCommand({
  name: "adopt",
  area: "a person's",
  operation: "adopt",
  positionals: ["[run]"],
  options: {},
  about: "Let a run go on with its workflow's file as it is now.",
  examples: ["holdfast adopt"],
  input: async (parsed) => ({ run: runOption(parsed, parsed.positionals[0]) }),
  print: printWhere,
});
