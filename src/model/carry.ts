import * as z from "zod";
import { Identifier, Name, Token } from "./ids.ts";
import { runIdPattern } from "./run-id.ts";

/** The git state of the work when a person decided about it. */
const work = { commit: z.string().nullable(), dirty: z.boolean().nullable() };

/** A person's pivot, kept for the agent that makes the new plan until that plan is approved. */
export const Pivot = z.strictObject({ text: z.string().nullable(), from: Name, to: Name, ...work });
export type Pivot = z.infer<typeof Pivot>;

/** What outlives the conversation: the last pivot, and what the last transition with a context action names. */
export const Carried = z.strictObject({ pivot: Pivot.nullable(), names: z.array(Identifier).readonly() });
export type Carried = z.infer<typeof Carried>;

/** The kinds of texts that are kept for a while and then end. */
export const carrySlots = ["pivot", "answers"] as const;

export const QuestionId = z.string().regex(/^q[1-9]\d{0,8}$/, "must look like q1");

/** A question of an agent. The visit waits until it has an answer. */
export const Question = z.strictObject({
  id: QuestionId,
  token: Token,
  step: Name,
  text: z.string(),
  answer: z.strictObject({ text: z.string(), by: z.string() }).nullable(),
  /** Tells apart truncated texts with the same beginning: of the answer if there is one, else of the question. */
  fingerprint: z.string().optional(),
});
export type Question = z.infer<typeof Question>;

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
