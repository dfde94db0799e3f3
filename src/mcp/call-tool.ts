import type { CallToolResult } from "@modelcontextprotocol/server";
import { z } from "zod";
import type { Deps, Outcome } from "../app/operation.ts";
import { operations } from "../app/operations.ts";
import { isHoldfastError } from "../errors.ts";
import { wordRefusal } from "../model/refusal.ts";
import type { Tool } from "./tools.ts";

/** Calls the operation behind a tool. Whatever happens is an answer: nothing that is sent can end the server. */
export async function callTool(tool: Tool, deps: Deps, sent: unknown): Promise<CallToolResult> {
  try {
    const input = tool.input.safeParse(sent ?? {});
    if (!input.success) return invalid(input.error);
    const { run_id: run, ...rest } = input.data;
    const words = tool.toOperation?.(input.data) ?? { run, ...rest };
    const operation = operations[tool.operation];
    const parsed = operation.input.safeParse(words);
    if (!parsed.success) return invalid(parsed.error);
    const act = operation.run as (deps: Deps, input: unknown) => Promise<Outcome<object>>;
    const outcome = await act(deps, parsed.data);
    if (outcome.ok) return answer({ ...outcome.value });
    return failure({ code: outcome.refusal.code, ...wordRefusal(outcome.refusal) });
  } catch (error) {
    if (isHoldfastError(error)) return failure({ code: error.code, message: error.message, next: error.next });
    process.stderr.write(`${error instanceof Error ? (error.stack ?? error.message) : String(error)}\n`);
    return failure({ code: "unexpected", message: "something unexpected happened", next: "see the server's log" });
  }
}

interface Failure {
  readonly code: string;
  readonly message: string;
  readonly next: string;
}

function answer(value: Record<string, unknown>): CallToolResult {
  return { content: [{ type: "text", text: JSON.stringify(value) }], structuredContent: value };
}

function failure(error: Failure): CallToolResult {
  return { ...answer({ error }), isError: true };
}

function invalid(error: z.ZodError): CallToolResult {
  const { path, message } = error.issues[0] ?? { path: [], message: "" };
  const where = z.core.toDotPath(path);
  return failure({
    code: "usage",
    message: where === "" ? message : `${where}: ${message}`,
    next: "correct the arguments and call again; nothing was changed",
  });
}
