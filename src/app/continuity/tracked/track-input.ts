import * as z from "zod";
import { visible } from "../../../cards/plain.ts";
import { Identifier, Name, VariableValue } from "../../../model/ids.ts";

/** One line of text that a handoff can show. */
const Line = z
  .string()
  .max(1_000, { abort: true })
  .refine((text) => text.trim() !== "", { error: "must not be empty", abort: true })
  .refine((text) => visible(text) === text, "must be one line without invisible characters");

/** What the commands for tracked workflows take. */
export const trackInput = {
  /** One that is tracked already may have any name: another tool may have given it. */
  tracked: z.string().min(1).optional().describe("The tracked workflow; by default the only one."),
  workflow: Name.describe("The workflow's name."),
  phase: z
    .string()
    .regex(/^[1-9]\d{0,5}\/[1-9]\d{0,5}$/, "must be two numbers from 1 on, such as 4/10")
    .describe("Which phase of how many: 4/10."),
  name: Name.optional().describe("The phase's name."),
  status: z.enum(["not_started", "in_progress", "completed", "blocked"]).optional(),
  reminder: Line,
  additions: {
    reading: z.array(Line).optional().describe("Files to read, from the top of the project."),
    reminder: z.array(Line).optional().describe("Rules that must survive a compaction."),
    set: z.record(Identifier, VariableValue).optional().describe("Values to remember."),
  },
};

/** The two numbers of a phase that has been checked. */
export function phaseNumbers(phase: string): { readonly current: number; readonly total: number } {
  const [current = 1, total = 1] = phase.split("/").map(Number);
  return { current, total };
}
