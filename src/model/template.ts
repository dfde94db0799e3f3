import * as z from "zod";
import { CriticalArtifacts } from "./artifact.ts";
import { Check, Gate, RunCheck } from "./gate.ts";
import { Identifier, Name, VariableValue } from "./ids.ts";
import { oneOf } from "./one-of.ts";
import { budgetLimits, ContextActionName, workflowTypes } from "./workflow-type.ts";

export const stepTypes = ["action", "loop", "ralph", "command"] as const;
/** What an outcome may lead to besides a step. */
export const outcomeTargets = ["next", "complete", "fail"] as const;

const wholeNumber = z.int({ error: ({ code }) => (code === "too_big" ? "is too large" : "must be a whole number") });
const positive = wholeNumber.min(1, "must be 1 or more");
const text = z.string().refine((value) => value.trim() !== "", "must not be empty");

export const variableTypes = ["text", "number", "flag", "choice", "path", "command"] as const;

const description = z
  .string()
  .max(200, "must have at most 200 characters")
  .refine((value) => !/[\p{Cc}\p{Zl}\p{Zp}]/u.test(value), "must be one line without control characters");

/** A variable with a type: what it accepts, and what it is for. */
export const VariableDeclaration = z.strictObject({
  type: oneOf("variable type", variableTypes),
  required: z.boolean().optional(),
  default: VariableValue.optional(),
  description: description.optional(),
  choices: z
    .array(text.max(100, "must have at most 100 characters"))
    .min(1, "must name at least one choice")
    .optional(),
  pattern: text.max(200, "must have at most 200 characters").optional(),
});
export type VariableDeclaration = z.infer<typeof VariableDeclaration>;

/** The short form is a value: a variable of any type, with this default. */
const Variable = z.union([...VariableValue.options, VariableDeclaration], {
  error: "must be text, a number, true or false, or a map with a type",
});

/** A sentence that tells when to start the workflow. */
const UseWhen = description.refine((sentence) => sentence.trim() !== "", "must not be empty");

const Agent = z.strictObject({
  description: z.string(),
  tools: z.array(z.string()).optional(),
  cannot: z.array(z.string()).optional(),
});

const Budget = z
  .strictObject({
    turns: positive.optional(),
    minutes: z.number().positive("must be more than 0").optional(),
    tokens: positive.optional(),
    /** In US dollars. */
    cost: z.number().positive("must be more than 0").optional(),
    pivot_to: Name.optional(),
  })
  .refine((budget) => budgetLimits.some((limit) => budget[limit] !== undefined), {
    error: `must set at least one of ${budgetLimits.join(", ")}`,
  });
export type Budget = z.infer<typeof Budget>;

const OnFail = z.union(
  [oneOf("way to handle a failure", ["retry", "skip", "abort"]), z.strictObject({ go_to: Name })],
  { error: "must be retry, skip, abort or a map with go_to" },
);

const shared = {
  id: Name,
  agent: Name.optional(),
  context: ContextActionName.optional(),
  on_fail: OnFail.optional(),
  max_retries: wholeNumber.min(0, "must be 0 or more").optional(),
  /** A condition, read once on entry; while it is false, the step is skipped. */
  when: text.optional(),
  budget: Budget.optional(),
};

const sharedByMainSteps = { ...shared, phase: Name.optional(), artefacts: z.boolean().optional() };

export const SubStep = z.strictObject({
  ...shared,
  instructions: text,
  gate: z.array(Gate).min(1, "must name at least one check").optional(),
});
export type SubStep = z.infer<typeof SubStep>;

export const ActionStep = z.strictObject({
  ...sharedByMainSteps,
  type: z.literal("action"),
  instructions: text,
  gate: z.array(Gate).min(1, "must name at least one check").optional(),
  outcomes: z
    .record(Name, Name)
    .refine((outcomes) => Object.keys(outcomes).length > 0, "must name at least one outcome")
    .optional(),
});

export const LoopStep = z.strictObject({
  ...sharedByMainSteps,
  type: z.literal("loop"),
  instructions: text.optional(),
});

export const RalphStep = z.strictObject({
  ...sharedByMainSteps,
  type: z.literal("ralph"),
  instructions: text,
  n: positive,
  gate: z.array(Gate).min(1, "must name at least one check").optional(),
  until: z.array(Check).min(1, "must name at least one check").optional(),
});

const CommandShape = z.strictObject({
  id: Name,
  type: z.literal("command"),
  ...RunCheck.shape,
  run: z.union([...RunCheck.shape.run.options, z.strictObject({ command: Identifier })], {
    error: "must be a command line, a list of arguments or a map with command",
  }),
  /** Whether it may run again by itself after it was interrupted. */
  repeatable: z.boolean().optional(),
  on_fail: shared.on_fail,
  max_retries: shared.max_retries,
  when: shared.when,
  phase: sharedByMainSteps.phase,
});

/** The keys of other steps that programs read without looking at the type first: a command has none of them. */
type Absent = Record<
  "agent" | "context" | "budget" | "instructions" | "gate" | "artefacts",
  z.ZodOptional<z.ZodUndefined>
>;

/** A command that Holdfast runs itself; no agent works on it. */
export const CommandStep = CommandShape as unknown as z.ZodObject<typeof CommandShape.shape & Absent, z.core.$strict>;

export const Step = z.discriminatedUnion("type", [ActionStep, LoopStep, RalphStep, CommandStep]);
export type Step = z.infer<typeof Step>;

/** Why a move is made; a transition can apply to one reason only. */
export const TransitionReason = oneOf("reason", ["pivot"]);
export type TransitionReason = z.infer<typeof TransitionReason>;

const Transition = z.strictObject({
  from: Name,
  to: Name,
  reason: TransitionReason.optional(),
  context: ContextActionName,
  carry: z.array(Identifier).optional(),
});

export const Template = z.strictObject({
  name: Name,
  description: z.string(),
  use_when: UseWhen.optional(),
  type: oneOf("workflow type", workflowTypes).optional(),
  agents: z.record(Name, Agent).optional(),
  variables: z.record(Identifier, Variable).optional(),
  required_reading: z.array(text).optional(),
  key_reminders: z.array(text).optional(),
  critical_artifacts: CriticalArtifacts.optional(),
  hold: z.boolean().optional(),
  /** For the whole run, beside those of its steps. */
  budget: Budget.optional(),
  transitions: z.array(Transition).optional(),
  loops: z.record(Name, z.array(SubStep).min(1, "must have at least one sub-step")).optional(),
  steps: z.array(Step).min(1, "must have at least one step"),
});
export type Template = z.infer<typeof Template>;
