import * as z from "zod";
import { stripInvisible } from "../../../cards/strip-text.ts";
import { Identifier, Name, VariableValue } from "../../../model/ids.ts";

/** One line of text that a handoff can show. */
const Line = z
  .string()
  .max(1_000, { abort: true })
  .refine((text) => text.trim() !== "", { error: "must not be empty", abort: true })
  .refine((text) => stripInvisible(text) === text, "must be one line without invisible characters");

/** The inputs of the commands for tracked workflows. */
export const trackInput = {
  /** Any string: another tool may have named the workflow. */
  tracked: z.string().min(1).optional().describe("The tracked workflow; by default the only one."),
  workflow: Name.describe("The workflow's name."),
  phase: z
    .string()
    .regex(/^[1-9]\d{0,5}\/[1-9]\d{0,5}$/, "must be two numbers, each at least 1, such as 4/10")
    .describe("Current phase and total: 4/10."),
  name: Name.optional().describe("The phase's name."),
  status: z.enum(["not_started", "in_progress", "completed", "blocked"]).optional(),
  reminder: Line,
  additions: {
    reading: z.array(Line).optional().describe("Files to read, relative to the project."),
    reminder: z.array(Line).optional().describe("Rules that must survive a compaction."),
    set: z.record(Identifier, VariableValue).optional().describe("Values to remember."),
  },
};

/** The two numbers of a phase that matches the pattern above. */
export function phaseNumbers(phase: string): { readonly current: number; readonly total: number } {
  const [current = 1, total = 1] = phase.split("/").map(Number);
  return { current, total };
}
