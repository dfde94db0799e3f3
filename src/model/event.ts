import * as z from "zod";
import { CardEdits, carrySlots, Note, Pivot, QuestionId, TodoFile } from "./carry.ts";
import { DriveEnd, DrivenAgent, Parking } from "./driving/driving.ts";
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
import { Evidence, LoadedRecord } from "./recorded.ts";
import { Claim, Environment, HostVersion, TranscriptMark } from "./session.ts";
import { RecordedTask } from "./task.ts";
import { budgetLimits } from "./visit-rules.ts";
import { ContextActionName, workflowTypes } from "./workflow-type.ts";

const Count = z.int().nonnegative();
const Worktree = z.string().nullable();
const Variables = z.record(Identifier, VariableValue);
/** Where the person acted, if not at a terminal: in a dialog of the agent program, or on the page. Such a line needs format 2. */
const Via = z.enum(["host-dialog", "dashboard"]);
export type Via = z.infer<typeof Via>;
/** Where a person acted: names only, of the terminal and of the programs above, from the nearest. It needs format 2, too. */
const Seat = z.strictObject({ terminal: z.string().nullable(), programs: z.array(z.string()) });
export type Seat = z.infer<typeof Seat>;
const actor = { by: z.string().min(1), seat: Seat.optional(), via: Via.optional() };

/** The fields of an ended or failed visit. `fingerprint` detects a repeated advance. */
const answer = {
  token: Token,
  place: Place,
  key: z.string(),
  output: z.string(),
  fingerprint: z.string(),
  session: SessionId.optional(),
};

const seq = z.int().positive();
const at = z.iso.datetime();
/**
 * The notices that had waited in queues of hooks until this commit could record them; the first of their events has this, and
 * needs format 2.
 */
const delivers = z.array(z.string().min(1)).optional();

function fact<Type extends string, Shape extends z.ZodRawShape>(type: Type, shape: Shape) {
  return z.strictObject({ seq, at, type: z.literal(type), delivers, ...shape });
}

/**
 * Everything that can happen to a run, in the past tense. Stored formats only grow. Each schema is made when an event of its
 * type is met: making all of them takes longer than reading a run.
 */
const schemas = {
  "run-started": () =>
    fact("run-started", {
      runId: RunId,
      workflow: Name,
      workflowType: z.enum(workflowTypes),
      worktree: Worktree,
      templateHash: TemplateHash,
      summary: z.string().nullable(),
      /** What the person asked for, whole. It stays in the journal and is not part of the run's state. */
      request: z.string().optional(),
      variables: Variables,
    }),
  "visit-entered": () =>
    fact("visit-entered", {
      token: Token,
      place: Place,
      number: z.int().positive(),
      action: ContextActionName.nullable(),
      note: Note.nullable(),
      /** What the transition to this visit carries across its context action. */
      carry: z.array(Identifier).optional(),
      session: SessionId.optional(),
      /** Whoever moved the run is not given the instructions with the reply. */
      untaken: z.literal(true).optional(),
      /** In a loop with `parallel`: who goes on with the task; null if anyone may claim it. It needs format 2. */
      claim: Claim.nullable().optional(),
    }),
  /** From now on the visit has the token `as`, which has the number of the claim. */
  "visit-claimed": () =>
    fact("visit-claimed", {
      token: Token,
      as: Token,
      claim: z.int().positive(),
      session: SessionId.optional(),
      worktree: Worktree,
      clone: z.string().optional(),
      /** The visit's context action is due, or is not needed by a session that has seen nothing of the run. */
      action: z.enum(["due", "none"]).optional(),
      untaken: z.literal(true).optional(),
    }),
  /** Somebody else may claim the visit; an answer under the old token is refused. */
  "claim-lost": () => fact("claim-lost", { token: Token, as: Token, claim: z.int().positive() }),
  /** Given up by the session that held it, when it ended, or by a person. */
  "claim-released": () =>
    fact("claim-released", {
      token: Token,
      as: Token,
      claim: z.int().positive(),
      session: SessionId.optional(),
      by: z.string().min(1).optional(),
      seat: Seat.optional(),
      via: Via.optional(),
    }),
  "visit-taken": () => fact("visit-taken", { token: Token, session: SessionId }),
  /** The instructions of an untaken visit were handed to an agent. */
  "instructions-taken": () => fact("instructions-taken", { token: Token, session: SessionId.optional() }),
  "visit-ended": () =>
    fact("visit-ended", {
      ...answer,
      outcome: Name.nullable(),
      variables: Variables.optional(),
      artifacts: NamedArtifacts.optional(),
    }),
  /** `retry` is the token of the next attempt at the same visit; null if there is none. */
  "visit-failed": () => fact("visit-failed", { ...answer, retry: Token.nullable() }),
  /** The visit waits under this token until a person decides. */
  "decision-requested": () =>
    fact("decision-requested", { token: Token, why: z.enum(["failed", "interrupted"]), reason: z.string() }),
  /** A person has decided about a visit that failed or was interrupted; `to` is the step that `go_to` leads to. */
  "failure-decided": () =>
    fact("failure-decided", {
      token: Token,
      place: Place,
      verdict: z.enum(["retry", "skip", "go_to", "abandon"]),
      to: Name.nullable(),
      ...actor,
      reason: z.string().nullable(),
    }),
  /** The step said where its failure leads. */
  "failure-routed": () => fact("failure-routed", { place: Place, to: Name }),
  "visit-closed": () =>
    fact("visit-closed", {
      token: Token,
      place: Place,
      reason: z.enum(["tasks-set", "goto", "pivot", "ended", "left"]),
    }),
  /** The step or sub-step was passed over on entry, because this condition was false then. */
  "step-skipped": () => fact("step-skipped", { place: Place, when: z.string() }),
  "step-ended": () => fact("step-ended", { step: Name, status: z.enum(["done", "skipped", "failed"]) }),
  "tasks-set": () => fact("tasks-set", { loop: Name, tasks: z.array(RecordedTask), kept: Count }),
  "task-ended": () =>
    fact("task-ended", {
      loop: Name,
      index: Count,
      task: z.string(),
      /** `skipped` needs format 2. */
      status: z.enum(["done", "failed", "skipped"]),
      /** The task whose failure made it impossible. */
      because: z.string().optional(),
    }),
  "context-action-handed-out": () =>
    fact("context-action-handed-out", { token: Token, action: ContextActionName, session: SessionId.optional() }),
  "context-action-observed": () =>
    fact("context-action-observed", { token: Token, action: ContextActionName, session: SessionId.optional() }),
  /** The session went on without the action, although its hooks would have reported it. */
  "context-action-skipped": () =>
    fact("context-action-skipped", { token: Token, action: ContextActionName, session: SessionId.optional() }),
  /** Recorded before the process is started, so that a command which may not run twice never does. */
  "command-started": () => fact("command-started", { token: Token, runner: z.string(), repeatable: z.boolean() }),
  /** The process was stopped or lost before it ended, and nobody knows how far it came. */
  "command-interrupted": () => fact("command-interrupted", { token: Token, tail: z.string().optional() }),
  "command-ended": () => fact("command-ended", { token: Token, evidence: Evidence }),
  "gates-started": () => fact("gates-started", { token: Token, runner: z.string() }),
  "gates-interrupted": () => fact("gates-interrupted", { token: Token }),
  "gates-checked": () =>
    fact("gates-checked", { token: Token, purpose: z.enum(["gate", "until"]), evidence: z.array(Evidence).min(1) }),
  /** What the agent submitted, shortened, for the person who decides. */
  "approval-requested": () =>
    fact("approval-requested", { token: Token, output: z.string().optional(), outcome: Name.optional() }),
  "approval-given": () => fact("approval-given", { token: Token, ...actor, reason: z.string().nullable() }),
  "approval-refused": () => fact("approval-refused", { token: Token, ...actor, reason: z.string() }),
  /** Older journals have this in place of `usage-recorded`. */
  "budget-counted": () => fact("budget-counted", { token: Token, turns: Count, tokens: Count }),
  /** What an agent has used since the last record. `token` is the visit it worked on. Absent: not reported. */
  "usage-recorded": () =>
    fact("usage-recorded", {
      token: Token.optional(),
      session: SessionId.optional(),
      turns: Count,
      tokens: Count.optional(),
      /** In US dollars. */
      cost: z.number().nonnegative().optional(),
      /** Where the session's transcript has been read up to. */
      read: TranscriptMark.optional(),
    }),
  /** `of` is set if the budget of the whole run is spent, and not that of the visit. */
  "review-opened": () =>
    fact("review-opened", { token: Token, spent: z.enum(budgetLimits), of: z.literal("run").optional() }),
  "review-decided": () =>
    fact("review-decided", {
      token: Token,
      verdict: z.enum(["continue", "pivot", "escalate", "abandon"]),
      ...actor,
      feedback: z.string().nullable(),
    }),
  "carry-set": () => fact("carry-set", { slot: z.literal("pivot"), ...Pivot.shape }),
  "carry-ended": () => fact("carry-ended", { slot: z.enum(carrySlots) }),
  "question-asked": () =>
    fact("question-asked", {
      id: QuestionId,
      token: Token,
      step: Name,
      question: z.string(),
      session: SessionId.optional(),
    }),
  "question-answered": () => fact("question-answered", { id: QuestionId, token: Token, answer: z.string(), ...actor }),
  "question-withdrawn": () => fact("question-withdrawn", { id: QuestionId, token: Token, ...actor }),
  "todo-updated": () => fact("todo-updated", { ...TodoFile.shape, items: Count, done: Count }),
  "artefacts-registered": () => fact("artefacts-registered", { paths: z.array(RelativePath).min(1) }),
  "summary-set": () => fact("summary-set", { summary: z.string().nullable() }),
  /** `follows` is the session that this one replaces: hosts assign a new id after a clear. */
  "session-started": () =>
    fact("session-started", {
      session: SessionId,
      host: z.string(),
      /** Where the host tells it. Older events do not have it. */
      hostVersion: HostVersion.optional(),
      source: z.string(),
      follows: SessionId.nullable(),
      environment: Environment.optional(),
    }),
  "session-ended": () => fact("session-ended", { session: SessionId, reason: z.string() }),
  "compaction-began": () => fact("compaction-began", { session: SessionId, trigger: z.string() }),
  "compaction-ended": () => fact("compaction-ended", { session: SessionId, trigger: z.string(), size: Count }),
  "card-edited": () => fact("card-edited", { edits: CardEdits }),
  "artifacts-loaded": () =>
    fact("artifacts-loaded", { session: SessionId.optional(), artifacts: z.array(LoadedRecord).min(1) }),
  /** `untaken`: the open visits have other instructions now, which no agent has been given. Older events do not have it. */
  "template-adopted": () =>
    fact("template-adopted", {
      templateHash: TemplateHash,
      ...actor,
      untaken: z.literal(true).optional(),
    }),
  "journal-repaired": () =>
    fact("journal-repaired", { by: z.string().min(1), kept: Count, lost: Count, original: z.string() }),
  /** Everything after event `after` came from another machine; this machine received it for one of its worktrees. */
  "run-received": () =>
    fact("run-received", { from: z.string().min(1), machine: z.string().min(1), worktree: Worktree, after: Count }),
  /** A runner drives an agent through the run from here on. It needs format 2, as do the following. */
  "drive-began": () => fact("drive-began", { runner: z.string(), agent: z.string(), holdfast: z.string() }),
  "drive-ended": () => fact("drive-ended", { why: DriveEnd }),
  /**
   * The agent gets the visit's instructions. `told`: so many messages of people go along and are kept until the agent has
   * answered. Without it there are none to keep; older events do not have it.
   */
  "attempt-began": () => fact("attempt-began", { token: Token, ...DrivenAgent.shape, told: Count.optional() }),
  /** The agent has crashed, or was ended because nothing was heard of it. */
  "attempt-lost": () => fact("attempt-lost", { token: Token, reason: z.string() }),
  "run-parked": () => fact("run-parked", Parking.shape),
  "agent-told": () => fact("agent-told", { text: z.string(), ...actor }),
  /** The agent has answered with the first `count` messages in its prompt. */
  "messages-delivered": () => fact("messages-delivered", { token: Token, count: Count }),
  "run-paused": () => fact("run-paused", { ...actor, reason: z.string().nullable() }),
  "run-resumed": () => fact("run-resumed", actor),
  "run-redirected": () => fact("run-redirected", { to: Name, ...actor, reason: z.string() }),
  /** A person has revived a failed or aborted run at this step. */
  "run-reopened": () => fact("run-reopened", { step: Name, ...actor, reason: z.string().nullable() }),
  "run-completed": () => fact("run-completed", {}),
  "run-failed": () => fact("run-failed", { reason: z.string() }),
  "run-aborted": () => fact("run-aborted", { ...actor, reason: z.string() }),
} as const;

type Schemas = typeof schemas;
export type EventType = keyof Schemas;
type SchemaOf<T extends EventType> = ReturnType<Schemas[T]>;
export type RunEvent = { [T in EventType]: z.infer<SchemaOf<T>> }[EventType];
export type EventOf<T extends EventType> = Extract<RunEvent, { type: T }>;

/** An event without its number and time. */
export type Fact = RunEvent extends infer Event ? (Event extends RunEvent ? Omit<Event, "seq" | "at"> : never) : never;

export const eventTypes = Object.keys(schemas) as EventType[];

const made = new Map<EventType, z.ZodType<RunEvent>>();

export function eventSchema(type: EventType): z.ZodType<RunEvent> {
  const schema: z.ZodType<RunEvent> = made.get(type) ?? schemas[type]();
  made.set(type, schema);
  return schema;
}

export function isEventType(type: unknown): type is EventType {
  return typeof type === "string" && Object.hasOwn(schemas, type);
}
