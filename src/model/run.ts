import * as z from "zod";
import { NamedArtifacts, RelativePath } from "./artifact.ts";
import { Carried, Question, TodoFile } from "./carry.ts";
import { Identifier, Name, RunId, SessionId, TemplateHash, Token, VariableValue } from "./ids.ts";
import { Place } from "./place.ts";
import { Priming } from "./priming.ts";
import { RecordedTask } from "./task.ts";
import { ContextActionName, workflowTypes } from "./template.ts";

const Count = z.int().nonnegative();
const Time = z.iso.datetime();

/** A word from outside the template that the agent must see with the instructions of a visit. */
export const Note = z.strictObject({
  from: z.enum(["approval", "approved", "review", "failure", "gate"]),
  text: z.string(),
});
export type Note = z.infer<typeof Note>;

export const Visit = z.strictObject({
  token: Token,
  place: Place,
  /** Which entry into the step this is, counted from 1. */
  number: z.int().positive(),
  /** Which try at this visit, counted from 1; a retry keeps the visit and counts on. */
  attempt: z.int().positive(),
  action: z.strictObject({ name: ContextActionName, status: z.enum(["due", "handed-out", "observed"]) }).nullable(),
  /** `minutes` holds the time banked before `since`; only a running run spends time. */
  spending: z.strictObject({
    turns: Count,
    tokens: Count,
    minutes: z.number().nonnegative(),
    since: Time,
    continues: Count,
  }),
  /** A foreign one was given on another machine: it counts for nothing until it is given here. */
  approval: z.enum(["none", "requested", "given", "foreign"]),
  /** Set while a process checks the visit's gates; `runner` tells whether it still lives. */
  checking: z.strictObject({ runner: z.string(), since: Time }).nullable(),
  /** Set while a person must decide how a spent budget goes on. */
  review: z.enum(["turns", "minutes", "tokens"]).nullable(),
  note: Note.nullable(),
});
export type Visit = z.infer<typeof Visit>;

/** A visit that was ended by an advance, remembered so that the same advance can be answered again. */
export const SpentVisit = z.strictObject({ token: Token, fingerprint: z.string(), seq: Count });
export type SpentVisit = z.infer<typeof SpentVisit>;

const StepFacts = z.strictObject({
  visits: Count,
  status: z.enum(["open", "done", "skipped", "failed", "left"]),
});

/** A loop's list and how far it is: every task before `next` has ended, and those in `failed` have failed. */
export const LoopFacts = z.strictObject({
  status: z.enum(["set", "finished"]),
  tasks: z.array(RecordedTask).readonly(),
  next: Count,
  failed: z.array(Count).readonly(),
});
export type LoopFacts = z.infer<typeof LoopFacts>;

/** One conversation of one host agent that has worked on the run. */
export const SessionRecord = z.strictObject({
  id: SessionId,
  host: z.string().nullable(),
  startedAt: Time,
  /** Null while it goes on, as far as is known. */
  ended: z.strictObject({ at: Time, reason: z.string() }).nullable(),
  compactions: Count,
});
export type SessionRecord = z.infer<typeof SessionRecord>;

/** What an agent or a person has added to the run's state card. */
export const CardEdits = z.strictObject({
  required_reading: z.array(z.string()).readonly(),
  key_reminders: z.array(z.string()).readonly(),
  context: z.record(z.string(), z.json()),
  other: z.record(z.string(), z.json()),
});
export type CardEdits = z.infer<typeof CardEdits>;

const facts = {
  /** How many events this run has had; the next one gets `seq + 1`. */
  seq: Count,
  runId: RunId,
  workflow: Name,
  workflowType: z.enum(workflowTypes),
  /** The linked git worktree that the run works in, by its name in git; null for the main one. */
  worktree: z.string().nullable(),
  templateHash: TemplateHash,
  summary: z.string().nullable(),
  startedAt: Time,
  updatedAt: Time,
  /** The place that was entered last. */
  last: Place.nullable(),
  variables: z.record(Identifier, VariableValue),
  artifacts: NamedArtifacts,
  artefacts: z.array(RelativePath).readonly(),
  steps: z.record(Name, StepFacts),
  loops: z.record(Name, LoopFacts),
  /** The newest spent visits, oldest first. */
  spent: z.array(SpentVisit).readonly(),
  /** Which visit each session was last given, oldest first. */
  seats: z.array(z.strictObject({ session: SessionId, token: Token })).readonly(),
  /** The newest sessions, oldest first. */
  sessions: z.array(SessionRecord).readonly(),
  card: CardEdits,
  priming: Priming,
  carried: Carried,
  /** Those that wait for an answer, and the newest answers of the current phase, oldest first. */
  questions: z.array(Question).readonly(),
  /** How many questions there have been. */
  asked: Count,
  todo: TodoFile.nullable(),
};

const live = { ...facts, visits: z.array(Visit).readonly() };
const ended = { ...facts, endedAt: Time };

export const LiveRun = z.discriminatedUnion("status", [
  z.strictObject({ status: z.enum(["running", "waiting", "review"]), ...live }),
  z.strictObject({ status: z.literal("paused"), ...live, reason: z.string().nullable() }),
]);
export type LiveRun = z.infer<typeof LiveRun>;

const EndedRun = z.discriminatedUnion("status", [
  z.strictObject({ status: z.literal("complete"), ...ended }),
  z.strictObject({ status: z.enum(["failed", "aborted"]), ...ended, reason: z.string() }),
]);
export type EndedRun = z.infer<typeof EndedRun>;

export const StartedRun = z.union([LiveRun, EndedRun]);
export type StartedRun = z.infer<typeof StartedRun>;

/** A run as the engine sees it: what decisions need, and nothing that only the journal needs. */
export type Run = { readonly status: "absent" } | StartedRun;
export type RunStatus = StartedRun["status"];
