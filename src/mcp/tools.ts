import * as z from "zod";
import type { OperationName } from "../app/operations.ts";

/** One tool: an operation with the name and the argument names that an agent sees. */
export interface Tool {
  readonly name: string;
  readonly description: string;
  readonly operation: OperationName;
  readonly input: z.ZodObject;
  readonly output: OutputSchema;
  /** Whether it changes nothing. */
  readonly readOnly: boolean;
  /** Maps the arguments to the input of the operation; by default only `run_id` is renamed. */
  toOperation?(input: Record<string, unknown>): Record<string, unknown>;
}

/** A name or an id. The limit is not in the schema, because ids that we issued never reach it. */
const Word = z.string().refine((text) => text.length <= 1_000, "must have at most 1,000 characters");
const run_id = Word.optional();
const Values = z.record(z.string(), z.union([z.string(), z.number(), z.boolean()]));

/** A JSON Schema of the fields that a client may look for. It costs tokens in every session, so it names only those. */
export interface OutputSchema {
  readonly type: "object";
  readonly properties: Readonly<Record<string, { readonly type: FieldType }>>;
}

type FieldType = "string" | "array" | "object" | readonly ["string", "null"];

/** No field is required, and others may come: a strict client accepts every answer, refusals and later versions too. */
function output(fields: Readonly<Record<string, FieldType>>): OutputSchema {
  const properties = Object.entries({ ...fields, error: "object" as const }).map(([name, type]) => [name, { type }]);
  return { type: "object", properties: Object.fromEntries(properties) };
}

/** Set if a shared store could not be used, and the reply was read from copies here. */
const staleness = { asOf: "string", storeProblem: "string" } as const;

/** A status, or a context action alone, or a refusal. */
const Reply = output({
  runId: "string",
  status: "string",
  step: "string",
  instructions: "string",
  rules: "string",
  recap: "string",
  token: ["string", "null"],
  contextAction: ["string", "null"],
  message: "string",
  ...staleness,
});

/** In the order in which hosts show them. `fallback` is the workflow to start if none is named. */
export function createTools(fallback: string | undefined): readonly Tool[] {
  return [list, startOf(fallback), status, setTasks, advance, context, artefacts, prime, todo, ask, answer];
}

const list: Tool = {
  name: "workflow_list",
  description: "List the workflows you can start here, and the live runs.",
  operation: "list",
  input: z.strictObject({}),
  output: output({ workflows: "array", runs: "array", ...staleness }),
  readOnly: true,
  toOperation: () => ({}),
};

function startOf(fallback: string | undefined): Tool {
  return {
    name: "workflow_start",
    description: "Start a workflow, or get the status of its live run.",
    operation: "start",
    input: z.strictObject({
      workflow: fallback === undefined ? Word : Word.default(fallback),
      request: z.string().optional().describe("What the person asked for, word for word"),
      summary: z.string().optional().describe("A short title"),
      variables: Values.optional(),
      new: z.boolean().optional().describe("Start another run even if one is live"),
    }),
    output: Reply,
    readOnly: false,
    toOperation: ({ new: another, ...input }) => ({ ...input, another }),
  };
}

const status: Tool = {
  name: "workflow_status",
  description:
    "Show where the run stands and what to do now. Call it before you work on the run, and after any loss of context.",
  operation: "next",
  input: z.strictObject({ run_id, task: Word.optional().describe("Claim this task of a parallel loop") }),
  output: Reply,
  readOnly: false,
  toOperation: ({ run_id: run, task }) => ({ run, task }),
};

const setTasks: Tool = {
  name: "workflow_set_tasks",
  description: "Set the tasks of a loop. An empty list skips the loop.",
  operation: "tasks",
  input: z.strictObject({
    loop_id: Word,
    tasks: z.array(
      z.looseObject({
        id: z.string(),
        title: z.string(),
        description: z.string().optional(),
        depends_on: z.array(z.string()).optional(),
      }),
    ),
    run_id,
  }),
  output: Reply,
  readOnly: false,
  toOperation: ({ run_id: run, loop_id: loop, tasks }) => ({ run, loop, tasks }),
};

const advance: Tool = {
  name: "workflow_advance",
  description:
    "Finish the current visit; its gates run first. Send the token from the status, so that a repeated call is safe.",
  operation: "advance",
  input: z.strictObject({
    output: z.string().optional().describe("What you did; with failed, why"),
    outcome: Word.optional().describe("One of the step's outcomes"),
    failed: z.boolean().optional(),
    token: Word.optional(),
    variables: Values.optional(),
    artifacts: z.record(z.string(), z.string()).optional().describe("Names for files of the project"),
    run_id,
  }),
  output: Reply,
  readOnly: false,
};

const context: Tool = {
  name: "workflow_context",
  description:
    "Get the request, the rules in full, and the outputs and decisions of one step or all; long ones are shortened.",
  operation: "context",
  input: z.strictObject({ step: Word.optional(), run_id }),
  output: output({ rules: "object", outputs: "object", decisions: "array", shortened: "array", ...staleness }),
  readOnly: true,
};

const artefacts: Tool = {
  name: "register_artefacts",
  description: "Register project files that the step produced.",
  operation: "artefacts",
  input: z.strictObject({ paths: z.array(z.string()), run_id }),
  output: output({ registered: "array", duplicates: "array", invalid: "array" }),
  readOnly: false,
};

const prime: Tool = {
  name: "prime_context",
  description: "Load the critical artifacts of the run. Those you already have, unchanged, are skipped.",
  operation: "prime",
  input: z.strictObject({ artifacts: z.array(z.string()).optional(), force: z.boolean().optional(), run_id }),
  output: output({ text: "string", artifacts: "array" }),
  readOnly: false,
};

const todo: Tool = {
  name: "update_todo_list",
  description: "Replace the TODO.md of the run: 1 to 50 checkboxes, [ ] open, [-] in progress, [x] done.",
  operation: "todo",
  input: z.strictObject({ content: z.string(), run_id }),
  output: output({ file: "string", list: "string", note: "string", previous: "string" }),
  readOnly: false,
};

const ask: Tool = {
  name: "ask_question",
  description: "Ask the person for a decision. The visit waits for the answer; tell them, and stop.",
  operation: "ask",
  input: z.strictObject({ question: z.string(), run_id }),
  output: Reply,
  readOnly: false,
};

const answer: Tool = {
  name: "answer_question",
  description: "Pass on the person's answer, in their words. Never answer for them. The visit continues.",
  operation: "answer",
  input: z.strictObject({ answer: z.string(), question_id: Word.optional(), run_id }),
  output: Reply,
  readOnly: false,
  toOperation: ({ run_id: run, question_id: question, answer: said }) => ({ run, question, answer: said }),
};
