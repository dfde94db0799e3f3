import * as z from "zod";
import type { Context } from "../context/context.ts";
import { isContextError } from "../context/conversation/context-error.ts";
import type { Result, RunActions } from "../runner/agents/agent.ts";
import type { ToolReply } from "./tools/tool.ts";

/** What a call of these tools means for the turn. */
export interface RunReply extends ToolReply {
  /** The visit is done. */
  readonly result?: Result;
  /** A person was asked: the turn ends, and the call gets its answer later. */
  readonly waits?: true;
}

interface RunTool {
  readonly name: string;
  readonly description: string;
  readonly input: z.ZodType;
}

const Values = z.record(z.string(), z.union([z.string(), z.number(), z.boolean()]));
const Done = z.strictObject({
  output: z.string().describe("The result of the step, as its instructions ask for it."),
  outcome: z.string().optional().describe("One of the outcomes that the instructions name, if they name any."),
  failed: z.literal(true).optional().describe("The step cannot be done; the output says why."),
  tasks: z.array(z.looseObject({ id: z.string(), title: z.string() })).optional(),
  variables: Values.optional(),
  artifacts: z.record(z.string(), z.string()).optional(),
});
const Plan = z.strictObject({ plan: z.string().trim().min(1).describe("The whole plan.") });
const Ask = z.strictObject({
  question: z.string().trim().min(1).describe("One question, with all it takes to answer it."),
});
const Todo = z.strictObject({ content: z.string().describe("The whole list, one checkbox a line: - [ ] or - [x].") });
const Output = z.strictObject({
  id: z.string().describe("The id that stands where the output was."),
  from: z.int().nonnegative().optional().describe("The first character; 0 by default."),
});

export const runTools: readonly RunTool[] = [
  { name: "done", description: "End the step with its result. Call it alone, when everything is done.", input: Done },
  { name: "submit_plan", description: "End a planning step: the plan is its result.", input: Plan },
  {
    name: "ask_question",
    description: "Ask the person what only they can decide. Call it alone; the answer comes as its result.",
    input: Ask,
  },
  { name: "update_todo_list", description: "Replace the whole todo list in TODO.md.", input: Todo },
  {
    name: "read_output",
    description: "Read an earlier tool output that was taken out of the conversation.",
    input: Output,
  },
];

/** What a call that ends the visit is answered with. */
export const acceptedText = "Recorded. Holdfast checks it now.";
const pageLength = 20_000;

/** Carries out a call of one of these tools; null if it is another tool's. */
export async function callRunTool(
  name: string,
  input: unknown,
  { run, context }: { readonly run: RunActions; readonly context: Context },
): Promise<RunReply | null> {
  switch (name) {
    case "done":
      return withInput(Done, input, ({ output, ...rest }) => ended({ output, ...rest }));
    case "submit_plan":
      return withInput(Plan, input, ({ plan }) => ended({ output: plan }));
    case "ask_question":
      return withInput(Ask, input, async ({ question }) => {
        const problem = await run.ask(question);
        return problem === null ? { text: "", waits: true } : { text: problem, isError: true };
      });
    case "update_todo_list":
      return withInput(Todo, input, ({ content }) => run.updateTodo(content));
    case "read_output":
      return withInput(Output, input, ({ id, from = 0 }) => pageOf(context, id, from));
    default:
      return null;
  }
}

/** The result that a call stands for, from what it was called with. */
export function resultOfCall(name: string, input: unknown): Result | null {
  if (name === "submit_plan") {
    const parsed = Plan.safeParse(input);
    return parsed.success ? { output: parsed.data.plan } : null;
  }
  const parsed = name === "done" ? Done.safeParse(input) : null;
  return parsed?.success === true ? parsed.data : null;
}

function ended(result: Result): RunReply {
  return { text: acceptedText, result };
}

function pageOf(context: Context, id: string, from: number): ToolReply {
  try {
    const { text, next, size } = context.readOutput(id, { from, count: pageLength });
    return { text: next === null ? text : `${text}\n[${size} characters; go on with from: ${next}]` };
  } catch (error) {
    if (isContextError(error)) return { text: error.message, isError: true };
    throw error;
  }
}

async function withInput<Input extends z.ZodType>(
  schema: Input,
  given: unknown,
  act: (input: z.infer<Input>) => RunReply | Promise<RunReply>,
): Promise<RunReply> {
  const parsed = schema.safeParse(given);
  if (parsed.success) return act(parsed.data);
  const [issue] = parsed.error.issues;
  const where = issue === undefined || issue.path.length === 0 ? "" : `${issue.path.join(".")}: `;
  return { text: `wrong input: ${where}${issue?.message ?? "it does not fit"}`, isError: true };
}
