import { advanceRun } from "./commands/advance-run.ts";
import { takeNext } from "./commands/take-next.ts";

/** The commands that are called most. They have a file of their own like `frequent-queries.ts`, also without YAML and git. */
export const frequentCommands = {
  next: takeNext,
  advance: advanceRun,
} as const;
