import * as z from "zod";
import { CardEdits, Note, Pivot, QuestionId, TodoFile } from "./carry.ts";
import { Parking } from "./driving/driving.ts";
import {
  Identifier,
  Name,
  NamedArtifacts,
  RelativePath,
  RunId,
  SessionId,
  TemplateHash,
  Token,
  VariableValue,
} from "./ids.ts";
import { Place } from "./place.ts";
import { LoadedRecord } from "./recorded.ts";
import { Claim, HostVersion, TranscriptMark } from "./session.ts";
import { RecordedTask } from "./task.ts";
import { budgetLimits } from "./visit-rules.ts";
import { ContextActionName, workflowTypes } from "./workflow-type.ts";

const Count = z.int().nonnegative();
const Time = z.iso.datetime();
/** In US dollars. */
const Cost = z.number().nonnegative();

/** What counts towards a budget. `minutes` is the time spent before `since`; time counts only while the run is running. */
const Spending = z.strictObject({
  turns: Count,
  tokens: Count,
  minutes: z.number().nonnegative(),
  since: Time,
  continues: Count,
  /** States of older versions do not have it. */
  cost: Cost.optional(),
});
export type Spending = z.infer<typeof Spending>;

/** What the agents of a run have used so far; null where no host has reported it. */
const Usage = z.strictObject({ turns: Count, tokens: Count.nullable(), cost: Cost.nullable() });
export type Usage = z.infer<typeof Usage>;

/** The process that drives a run. */
const Drive = z.strictObject({ runner: z.string(), agent: z.string(), since: Time });

/** What became of the attempts at a visit that a runner drives, since a person last decided. */
const DrivenVisit = z.strictObject({
  /** When the last attempt began. */
  since: Time,
  lost: Count,
  failedGates: Count,
  /** The last attempt has come to an orderly end, so nothing unfinished is left of it. */
  settled: z.literal(true).optional(),
});

export const Visit = z.strictObject({
  token: Token,
  place: Place,
  /** How often the step has been entered, this time included. */
  number: z.int().positive(),
  /** The attempt at this visit, from 1; a retry keeps the visit and increments this. */
  attempt: z.int().positive(),
  action: z.strictObject({ name: ContextActionName, status: z.enum(["due", "handed-out", "observed"]) }).nullable(),
  spending: Spending,
  /** `foreign`: approved on another machine, which does not count here. */
  approval: z.enum(["none", "requested", "given", "foreign"]),
  /** The event that last asked a person for approval, and the outcome that was submitted. States of older versions have neither. */
  asked: z.int().positive().optional(),
  proposed: Name.optional(),
  /** Who gave the approval, and what they said. States of older versions do not have it. */
  approved: z.strictObject({ by: z.string(), text: z.string().nullable() }).optional(),
  /** Set while a process checks the visit's gates; `runner` identifies the process. */
  checking: z.strictObject({ runner: z.string(), since: Time }).nullable(),
  /** Set while a process runs the visit's command. States of older versions do not have it. */
  command: z.strictObject({ runner: z.string(), since: Time, repeatable: z.boolean() }).optional(),
  /** The spent budget, while a person must decide how to continue. */
  review: z.enum(budgetLimits).nullable(),
  /** Set if that is the budget of the whole run. */
  reviewOf: z.literal("run").optional(),
  /** Set while a person must decide about a failure or an interrupted command. States of older versions do not have it. */
  pending: z.strictObject({ why: z.enum(["failed", "interrupted"]), reason: z.string() }).optional(),
  /** The attempt that a person asked for last; retries are counted from here. */
  decidedAt: z.int().positive().optional(),
  note: Note.nullable(),
  /** What a person said, while the note is about a failure. States of older versions do not have it. */
  said: Note.nullable().optional(),
  /** Set until an agent has been given the instructions: such a visit cannot end. */
  untaken: z.literal(true).optional(),
  /** In a loop with `parallel`: null while nobody works on it. Other visits do not have it. */
  claim: Claim.nullable().optional(),
  /** How often a claim was lost since a person last decided. */
  lost: z.int().positive().optional(),
  /** Set once a runner has given the visit to its agent. */
  driven: DrivenVisit.optional(),
});
export type Visit = z.infer<typeof Visit>;

/** A visit that was ended by an advance, kept so that a repeated advance gets the same answer. */
export const SpentVisit = z.strictObject({ token: Token, fingerprint: z.string(), seq: Count });
export type SpentVisit = z.infer<typeof SpentVisit>;

const StepFacts = z.strictObject({
  visits: Count,
  status: z.enum(["open", "done", "skipped", "failed", "left"]),
  /** The outcome that the step ended with last. States of older versions do not have it. */
  outcome: Name.optional(),
});

/**
 * A loop's tasks, each with what became of it. All before index `next` have ended, and so have those in the ranges of
 * `ahead`, each from its first index to the one before its second.
 */
export const LoopFacts = z.strictObject({
  status: z.enum(["set", "finished"]),
  tasks: z.array(RecordedTask).readonly(),
  next: Count,
  ahead: z
    .array(z.tuple([Count, Count]))
    .readonly()
    .optional(),
  /** Indexes, in the order in which the tasks failed. */
  failed: z.array(Count).readonly(),
  /** Those that were passed over because a task that they depend on has failed. */
  skipped: z.array(Count).readonly().optional(),
});
export type LoopFacts = z.infer<typeof LoopFacts>;

/** One conversation of one host agent that has worked on the run. */
export const SessionRecord = z.strictObject({
  id: SessionId,
  host: z.string().nullable(),
  hostVersion: HostVersion.optional(),
  startedAt: Time,
  /** Null while the session is not known to have ended. */
  ended: z.strictObject({ at: Time, reason: z.string() }).nullable(),
  compactions: Count,
  /** What of its transcript has been counted. */
  read: TranscriptMark.optional(),
});
export type SessionRecord = z.infer<typeof SessionRecord>;

/** What outlives the conversation: the last pivot, and what the last transition with a context action names. */
const Carried = z.strictObject({ pivot: Pivot.nullable(), names: z.array(Identifier).readonly() });

/** A question of an agent. The visit waits until it has an answer. */
const Question = z.strictObject({
  id: QuestionId,
  token: Token,
  step: Name,
  text: z.string(),
  answer: z.strictObject({ text: z.string(), by: z.string() }).nullable(),
  /** Tells apart truncated texts with the same beginning: of the answer if there is one, else of the question. */
  fingerprint: z.string().optional(),
});
export type Question = z.infer<typeof Question>;

/** What was loaded last, and how often. An epoch is the part of a session between two compactions. */
const Priming = z.strictObject({
  reloads: Count,
  lastAt: Time.nullable(),
  epoch: z.strictObject({ session: SessionId, compactions: Count }).nullable(),
  /** In this epoch. */
  loaded: z.array(LoadedRecord.extend({ at: Time })).readonly(),
});
export type Priming = z.infer<typeof Priming>;

const facts = {
  /** The number of events so far; the next one gets `seq + 1`. */
  seq: Count,
  runId: RunId,
  workflow: Name,
  workflowType: z.enum(workflowTypes),
  /** The git name of the linked worktree that the run works in; null for the main one. */
  worktree: z.string().nullable(),
  templateHash: TemplateHash,
  /** Set once the run has come from another machine. */
  received: z.literal(true).optional(),
  summary: z.string().nullable(),
  startedAt: Time,
  updatedAt: Time,
  /** The place entered last. */
  last: Place.nullable(),
  variables: z.record(Identifier, VariableValue),
  artifacts: NamedArtifacts,
  artefacts: z.array(RelativePath).readonly(),
  steps: z.record(Name, StepFacts),
  loops: z.record(Name, LoopFacts),
  /** The latest ended visits, oldest first. */
  spent: z.array(SpentVisit).readonly(),
  /** The visit that each session was given last, oldest first. */
  seats: z.array(z.strictObject({ session: SessionId, token: Token })).readonly(),
  /** The latest sessions, oldest first. */
  sessions: z.array(SessionRecord).readonly(),
  card: CardEdits,
  priming: Priming,
  carried: Carried,
  /** The open questions and the latest answers of the current phase, oldest first. */
  questions: z.array(Question).readonly(),
  /** The number of questions so far. */
  asked: Count,
  todo: TodoFile.nullable(),
  /** States of older versions have neither of these. */
  usage: Usage.optional(),
  /** What counts towards the budget of the whole run. */
  spending: Spending.optional(),
  /** How often each step has gone elsewhere after a failure, since a person last decided. Older states do not have it. */
  jumps: z.record(z.string(), Count).optional(),
  /** The number of claims so far, and the latest that were lost. Absent in runs without claims. */
  claims: Count.optional(),
  lostClaims: z.array(Count).readonly().optional(),
  /** Set while a runner drives the run, and after one was killed. */
  drive: Drive.nullable().optional(),
  /** Set from the moment that a runner parks the run until one goes on with it. */
  parked: Parking.nullable().optional(),
  /** What people have told the agent, until it has answered with it in its prompt. */
  messages: z.array(z.string()).readonly().optional(),
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

/** A run as the engine sees it: only what decisions need; everything else is in the journal. */
export type Run = { readonly status: "absent" } | StartedRun;
export type RunStatus = StartedRun["status"];
