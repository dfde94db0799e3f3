import * as z from "zod";
import { Parking } from "./driving/driving.ts";
import { stepTypes } from "./template.ts";
import { budgetLimits } from "./visit-rules.ts";

export const PhaseStatus = z.strictObject({
  current: z.int(),
  total: z.int(),
  name: z.string(),
  status: z.enum(["not_started", "in_progress", "completed", "blocked"]),
});
export type PhaseStatus = z.infer<typeof PhaseStatus>;

/** The status of a run for agents and people. Steps and iterations count from 1, indexes from 0. */
export const Status = z.strictObject({
  runId: z.string(),
  workflow: z.string(),
  status: z.enum(["running", "waiting", "review", "paused", "complete", "failed", "aborted"]),
  step: z.string(),
  stepType: z.enum(stepTypes),
  phase: PhaseStatus,
  agent: z.string().nullable(),
  delegate: z.boolean(),
  /** For whoever drives the agent: what the sub-step says, else the step, else the agent. */
  hints: z
    .strictObject({
      model: z.string().optional(),
      effort: z.string().optional(),
      tools: z.array(z.string()).optional(),
      permissions: z.string().optional(),
    })
    .optional(),
  instructions: z.string(),
  progress: z.strictObject({
    currentStep: z.int(),
    totalSteps: z.int(),
    completedTasks: z.int().optional(),
    totalTasks: z.int().optional(),
    currentTaskProgress: z.string().optional(),
  }),
  task: z
    .strictObject({
      id: z.string(),
      title: z.string(),
      description: z.string().optional(),
      index: z.int(),
      total: z.int(),
      subStep: z.string(),
      subStepIndex: z.int(),
      totalSubSteps: z.int(),
    })
    .optional(),
  /** The open tasks of a loop that several agents work on. An agent that works on one of them does not get the others. */
  openTasks: z
    .array(
      z.strictObject({
        id: z.string(),
        title: z.string(),
        subStep: z.string(),
        state: z.enum(["free", "claimed", "waiting"]),
        /** What a person has to do about one that waits. */
        waitsFor: z.enum(["approval", "answer", "decision", "budget"]).optional(),
        token: z.string(),
        /** Who works on it; null for a caller without a session. */
        session: z.string().nullable().optional(),
        since: z.string().optional(),
        worktree: z.string().nullable().optional(),
        /** The clone that has this worktree, where runs are shared. */
        clone: z.string().optional(),
      }),
    )
    .optional(),
  ralphIteration: z.int().optional(),
  ralphTotal: z.int().optional(),
  outcomes: z.array(z.string()).optional(),
  /** The question that the visit is waiting for. */
  question: z.strictObject({ id: z.string(), text: z.string() }).optional(),
  /** What a person must decide about the visit: why, and the decisions to choose from. */
  decision: z
    .strictObject({ why: z.enum(["failed", "interrupted"]), reason: z.string(), verdicts: z.array(z.string()) })
    .optional(),
  /** The budget that is spent: a limit of the step's visit, or of the whole run. */
  review: z.strictObject({ spent: z.enum(budgetLimits), of: z.enum(["step", "run"]) }).optional(),
  /** What the run's agents have used so far; null where no host has reported it. The cost is in US dollars. */
  usage: z.strictObject({ turns: z.int(), tokens: z.int().nullable(), cost: z.number().nullable() }).optional(),
  /** Set while a runner drives the run. */
  driven: z.strictObject({ agent: z.string(), since: z.string() }).optional(),
  /** Why a runner has parked the run. */
  parked: Parking.optional(),
  summary: z.string().optional(),
  artefacts: z.array(z.string()),
  token: z.string().nullable(),
});
export type Status = z.infer<typeof Status>;
