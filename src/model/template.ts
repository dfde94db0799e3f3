import * as z from "zod";
import { CriticalArtifacts } from "./artifact.ts";
import { Check, Gate, RunCheck } from "./gate.ts";
import { Identifier, Name, VariableValue } from "./ids.ts";
import { oneOf } from "./one-of.ts";
import { joinWords, quote } from "./quote.ts";
import { budgetLimits } from "./visit-rules.ts";
import { ContextActionName, workflowTypes } from "./workflow-type.ts";

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

/** How hard a model thinks. Programs that know fewer levels take the nearest one. */
const efforts = ["minimal", "low", "medium", "high", "xhigh", "max"] as const;
/** `read` changes nothing; `edit` changes files, and asks for everything else. */
const permissions = ["read", "edit"] as const;

/** What agent programs call a way to act without asking, written in any way; `full` is what a person may choose. */
const bypasses = [
  ...["bypass", "bypasspermissions", "dangerouslyskippermissions", "skippermissions", "acceptall", "allowall"],
  ...["dontask", "noask", "neverask", "never", "approvalnever", "auto", "autoapprove", "fullauto", "yolo"],
  ...["dangerfullaccess", "dangerouslybypassapprovalsandsandbox", "fullaccess", "full", "all", "any", "everything"],
];

/** Whether a text asks for more than a person has allowed. */
function isBypass(value: string): boolean {
  const word = value.toLowerCase().replace(/[^\p{L}\p{N}]/gu, "");
  return bypasses.includes(word) || /^[*\s()]*\*[*\s()]*$/.test(value);
}

const narrowOnly = "a workflow can only narrow what a person has allowed";

/** These become words of a command line, so none of them can be an option. */
const word = (longest: number) =>
  text
    .max(longest, `must have at most ${longest} characters`)
    .refine((value) => !/[\p{Cc}\p{Zl}\p{Zp}]/u.test(value), "must be one line without control characters")
    .refine((value) => !value.startsWith("-"), { error: "must not begin with -", abort: true });

const Tool = word(200).refine((value) => !isBypass(value), {
  error: ({ input }) => `${quote(String(input))} stands for every tool; ${narrowOnly}, so name the tools`,
});

/** The tools of an agent, as they are checked when a workflow is loaded. */
export const Tools = z.array(Tool).max(100, "must name at most 100 tools");

/** For whoever drives the agent. Nothing here can give an agent more than a person has allowed. */
const hints = {
  model: word(200)
    .refine((value) => /^[\w.:/@+[\]-]+$/.test(value), "must be the name of a model, without spaces")
    .optional(),
  effort: oneOf("effort", efforts).optional(),
  tools: Tools.min(1, "must name at least one tool").optional(),
  permissions: z
    .enum(permissions, {
      error: ({ input }) => {
        if (typeof input !== "string") return undefined;
        const choice = `use ${joinWords(permissions, "or")}`;
        if (isBypass(input))
          return `${quote(input)} bypasses the prompts of the agent program; ${narrowOnly}: ${choice}`;
        return `${quote(input)} is not a level of permissions; ${choice}`;
      },
    })
    .optional(),
};

const Agent = z.strictObject({
  description: z.string(),
  ...hints,
  // Lint knows the same limits; templates of the first edition are frozen with runs and may have any text here.
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
  [
    oneOf("way to handle a failure", ["retry", "skip", "abort"], ["{ go_to: <step> }"]),
    z.strictObject({ go_to: Name }),
  ],
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
  ...hints,
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

/** A command that Holdfast runs itself: its text, or the variable that holds it. */
const ownCommand = {
  ...RunCheck.shape,
  run: z.union([...RunCheck.shape.run.options, z.strictObject({ command: Identifier })], {
    error: "must be a command line, a list of arguments or a map with command",
  }),
  /** Whether it may run again by itself after it was interrupted. */
  repeatable: z.boolean().optional(),
};

/** Where Holdfast gets the tasks of a loop: what a command prints, a file of the project, or the output of another step. */
const TaskSource = z.union(
  [z.strictObject(ownCommand), z.strictObject({ file: text }), z.strictObject({ output: Name })],
  { error: "must be a map with run, file or output" },
);
export type TaskSource = z.infer<typeof TaskSource>;

export const LoopStep = z.strictObject({
  ...sharedByMainSteps,
  type: z.literal("loop"),
  instructions: text.optional(),
  tasks: TaskSource.optional(),
  /** How many tasks are open at once; each is claimed by the agent that works on it. Absent: one, and no claims. */
  parallel: positive.max(100, "must be at most 100").optional(),
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
  ...ownCommand,
  on_fail: shared.on_fail,
  max_retries: shared.max_retries,
  when: shared.when,
  phase: sharedByMainSteps.phase,
});

/** The keys of other steps that programs read without looking at the type first: a command has none of them. */
type Absent = Record<
  "agent" | "context" | "budget" | "instructions" | "gate" | "artefacts" | keyof typeof hints,
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
