import { defineCommand, flagOption, textOption } from "../command.ts";
import { runOption } from "./agent.ts";
import { numberOf } from "./looking.ts";

const yes = { type: "boolean", about: "do not ask" } as const;

export const rm = defineCommand({
  name: "rm",
  area: "a person's",
  operation: "rm",
  positionals: ["<run>"],
  options: { yes },
  about: "Remove a run that has ended, with its journal.",
  examples: ["holdfast rm feature-20260131_120000-ab12"],
  input: async (parsed) => ({ run: parsed.positionals[0], yes: flagOption(parsed, "yes") }),
  print: ({ removed }) => `removed ${removed.join(", ")}\n`,
});

export const gc = defineCommand({
  name: "gc",
  area: "a person's",
  operation: "gc",
  positionals: [],
  options: { days: { type: "string", value: "N", about: "ended at least so many days ago (30)" }, yes },
  about: "Remove all runs that ended some time ago.",
  examples: ["holdfast gc", "holdfast gc --days 7 --yes"],
  input: async (parsed) => ({ days: numberOf(textOption(parsed, "days"), "--days"), yes: flagOption(parsed, "yes") }),
  print: ({ removed }) => (removed.length === 0 ? "nothing to remove\n" : `removed ${removed.length} run(s)\n`),
});

export const repair = defineCommand({
  name: "repair",
  area: "upkeep",
  operation: "repair",
  positionals: ["[run]"],
  options: {},
  about: "Check a run's journal line by line; save what can be saved of a damaged one and keep the original.",
  examples: ["holdfast repair feature-20260131_120000-ab12"],
  input: async (parsed) => ({ run: parsed.positionals[0] ?? runOption(parsed) }),
  print({ runId, repaired, commits, lost, torn, problem, original }) {
    const unfinished = torn === 0 ? "" : `; ${torn} unfinished line(s) passed over`;
    if (!repaired) return `${runId}: ${commits} commits, nothing to repair${unfinished}\n`;
    const kept = original === null ? "" : `\n  the original is kept as ${original}`;
    return `${runId}: ${problem ?? ""}\n  kept ${commits} commits, lost ${lost} line(s)${unfinished}${kept}\n`;
  },
});
