import type { CallToolResult, InputRequiredResult } from "@modelcontextprotocol/server";
import type * as z from "zod";
import { settleInDialog } from "../app/dialog/settle-in-dialog.ts";
import { operations } from "../app/operations.ts";
import { recordReply } from "../app/shown/record-reply.ts";
import { wordRefusal } from "../model/refusal/refusal.ts";
import type { Form } from "../operation/dialog.ts";
import { type Deps, type Outcome, staleFacts } from "../operation/operation.ts";
import { describeIssue, findLostKey } from "./describe-issue.ts";
import { answer, failure, failureOf } from "./failure.ts";
import type { Tool } from "./tools.ts";

/**
 * Calls the operation behind a tool. Every failure becomes an answer, so that no input can end the server. `show` makes the
 * result that shows a form to the person, with whose answer the client calls again. `added` is put into what succeeds.
 */
export async function callTool(
  tool: Tool,
  deps: Deps,
  sent: unknown,
  show: (form: Form) => InputRequiredResult,
  added: Readonly<Record<string, unknown>> = {},
): Promise<CallToolResult | InputRequiredResult> {
  try {
    const known = Object.keys(tool.input.shape);
    const word = (issue: z.core.$ZodIssue | undefined) => describeIssue(issue, sent, known);
    const lost = findLostKey(sent);
    if (lost !== null) return invalid(lost);
    const input = tool.input.safeParse(sent ?? {});
    if (!input.success) return invalid(word(input.error.issues[0]));
    const { run_id: run, ...rest } = input.data;
    const words = tool.toOperation?.(input.data) ?? { run, ...rest };
    const operation = operations[tool.operation];
    const parsed = operation.input.safeParse(words);
    if (!parsed.success) return invalid(word(inToolWords(parsed.error.issues[0], known)));
    const act = operation.run as (deps: Deps, input: unknown) => Promise<Outcome<object>>;
    const call = { operation: tool.operation, run: typeof run === "string" ? run : undefined };
    const settled = await settleInDialog(deps, {
      ...call,
      perform: (variables) => act(deps, withVariables(parsed.data, variables)),
    });
    if (settled.type === "asked") return show(settled.form);
    const { outcome } = settled;
    const reply = outcome.ok
      ? answer({ ...staleFacts(deps), ...outcome.value, ...added })
      : failure({ code: outcome.refusal.code, ...wordRefusal(outcome.refusal, "mcp") });
    await recordReply(deps, { ...call, kind: "tool", outcome, content: reply.structuredContent ?? {} }, "soon");
    return reply;
  } catch (error) {
    return failure(failureOf(error));
  }
}

function withVariables(
  input: Readonly<Record<string, unknown>>,
  more: Readonly<Record<string, string | undefined>> | undefined,
) {
  return more === undefined ? input : { ...input, variables: { ...Object(input.variables), ...more } };
}

function invalid(message: string): CallToolResult {
  return failure({ code: "usage", message, next: "correct the arguments and call again; nothing was changed" });
}

/** Translates an input name of an operation (`run`, `loop`, `question`) to the tool's (`run_id`, ...). */
function inToolWords(issue: z.core.$ZodIssue | undefined, known: readonly string[]): z.core.$ZodIssue | undefined {
  const [first, ...rest] = issue?.path ?? [];
  const name = `${String(first)}_id`;
  return issue !== undefined && known.includes(name) ? { ...issue, path: [name, ...rest] } : issue;
}
