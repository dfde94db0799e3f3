import * as z from "zod";
import { Name } from "./ids.ts";
import { runIdPattern } from "./run-id.ts";

/** The git state of the work when a person decided about it. */
const work = { commit: z.string().nullable(), dirty: z.boolean().nullable() };

/** A person's pivot, kept for the agent that makes the new plan until that plan is approved. */
export const Pivot = z.strictObject({ text: z.string().nullable(), from: Name, to: Name, ...work });
export type Pivot = z.infer<typeof Pivot>;

/** The kinds of texts that are kept for a while and then end. */
export const carrySlots = ["pivot", "answers"] as const;

export const QuestionId = z.string().regex(/^q[1-9]\d{0,8}$/, "must look like q1");

const todoFilePattern = new RegExp(`^TODO\\.(${runIdPattern.source.slice(1, -1)}\\.)?md$`);

/** The file of the run's todo list, and the hash of what Holdfast wrote there. */
export const TodoFile = z.strictObject({
  file: z.string().regex(todoFilePattern, "must be TODO.md or TODO.<run id>.md"),
  hash: z.string(),
});
export type TodoFile = z.infer<typeof TodoFile>;

/** A text from outside the template that the agent gets with the instructions of a visit. */
export const Note = z.strictObject({
  from: z.enum([
    ...(["approval", "approved", "review", "failure", "gate", "goto"] as const),
    ...(["decision", "failed-step", "reopened"] as const),
  ]),
  text: z.string(),
});
export type Note = z.infer<typeof Note>;

/** What agents and people have added to the run's state card. */
export const CardEdits = z.strictObject({
  required_reading: z.array(z.string()).readonly(),
  key_reminders: z.array(z.string()).readonly(),
  context: z.record(z.string(), z.json()),
  other: z.record(z.string(), z.json()),
});
export type CardEdits = z.infer<typeof CardEdits>;
