import type { CallToolResult } from "@modelcontextprotocol/server";
import { isHoldfastError } from "../errors.ts";

export interface Failure {
  readonly code: string;
  readonly message: string;
  readonly next: string;
}

/** What a tool answers: as JSON for a model to read, and as it is. */
export function answer(value: Record<string, unknown>): CallToolResult {
  return { content: [{ type: "text", text: JSON.stringify(value) }], structuredContent: value };
}

export function failure(error: Failure): CallToolResult {
  return { ...answer({ error }), isError: true };
}

/** What went wrong, for whoever called. What nobody foresaw goes to the server's log. */
export function failureOf(error: unknown): Failure {
  if (isHoldfastError(error)) return { code: error.code, message: error.message, next: error.next };
  logError(error);
  return { code: "unexpected", message: "something unexpected happened", next: "see the server's log" };
}

/** Hosts keep what a server says on standard error. */
export function logError(error: unknown): void {
  process.stderr.write(`${error instanceof Error ? (error.stack ?? error.message) : String(error)}\n`);
}
