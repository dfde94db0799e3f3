import { defineCommand, flagOption, type ParsedArguments, runOption, textOption } from "../command/command.ts";
import { UsageError } from "../terminal/usage-error.ts";
import { plural } from "../terminal/wording.ts";
import { numberOf } from "./inspect.ts";

const yes = { type: "boolean", about: "do not ask for confirmation" } as const;

export const rm = defineCommand({
  name: "rm",
  area: "For people",
  operation: "rm",
  positionals: ["[run]"],
  options: { yes },
  about: "Delete a run that has ended, with its journal.",
  examples: ["holdfast rm", "holdfast rm feature-20260131_120000-ab12"],
  input: async (parsed) => ({ run: runOption(parsed, parsed.positionals[0]), yes: flagOption(parsed, "yes") }),
  print: ({ removed }) => `removed ${removed.join(", ")}\n`,
});

export const gc = defineCommand({
  name: "gc",
  area: "For people",
  operation: "gc",
  positionals: [],
  options: {
    days: { type: "string", value: "N", about: "only runs that ended at least N days ago (default 30)" },
    yes,
  },
  about:
    "Delete all runs that ended a while ago. Of runs that a team shares only the copies here are deleted: they can be " +
    "fetched again. Runs in the database stay.",
  examples: ["holdfast gc", "holdfast gc --days 7 --yes"],
  input: async (parsed) => ({ days: numberOf(textOption(parsed, "days"), "--days"), yes: flagOption(parsed, "yes") }),
  print: ({ removed, copies = [], kept = [], problem, leftovers = [] }) =>
    [
      ...(removed.length === 0 ? [] : [`removed ${plural(removed.length, "run")}`]),
      ...(copies.length === 0
        ? []
        : [`removed the copies of ${plural(copies.length, "shared run")} from this machine`]),
      ...(leftovers.length === 0 ? [] : [`removed what ${plural(leftovers.length, "interrupted start")} left behind`]),
      ...(removed.length + copies.length + leftovers.length === 0 ? ["nothing to remove"] : []),
      ...(kept.length === 0 ? [] : [keptCopies(kept, problem)]),
      "",
    ].join("\n"),
});

function keptCopies(kept: readonly string[], problem: string | undefined): string {
  const why = problem ?? "the database may lack something that they have; see: holdfast store status";
  return `kept the copies of ${plural(kept.length, "shared run")}: ${why}`;
}

export const repair = defineCommand({
  name: "repair",
  area: "Set up and maintain",
  operation: "repair",
  positionals: ["[run]"],
  options: {},
  about: "Check a run's journal line by line. If it is damaged, save what can be saved and keep the original.",
  examples: ["holdfast repair feature-20260131_120000-ab12"],
  input: async (parsed) => ({ run: namedRun(parsed) }),
  print({ runId, repaired, commits, lost, torn, problem, original }) {
    const unfinished = torn === 0 ? "" : `; ${plural(torn, "unfinished line")} skipped`;
    if (!repaired) return `${runId}: ${plural(commits, "commit")}, nothing to repair${unfinished}\n`;
    const kept = original === null ? "" : `\n  the original is kept as ${original}`;
    return `${runId}: ${problem ?? ""}\n  kept ${plural(commits, "commit")}, lost ${plural(lost, "line")}${unfinished}${kept}\n`;
  },
});

/** A run to repair must be named; it is never guessed. */
function namedRun(parsed: ParsedArguments): string {
  const run = runOption(parsed, parsed.positionals[0]);
  if (run === undefined) throw new UsageError("the run id is missing", "list the ids with: holdfast runs");
  return run;
}
