import type { CallToolResult } from "@modelcontextprotocol/server";
import { isHoldfastError } from "../errors.ts";
import { visibleJson } from "../model/written/unseen-text.ts";

export interface Failure {
  readonly code: string;
  readonly message: string;
  readonly next: string;
}

/** The reply of a tool, as JSON text for the model, who sees every character of it, and as structured content. */
export function answer(value: Record<string, unknown>): CallToolResult {
  return { content: [{ type: "text", text: visibleJson(JSON.stringify(value)) }], structuredContent: value };
}

export function failure(error: Failure): CallToolResult {
  return { ...answer({ error }), isError: true };
}

/** The error for the caller. Unexpected errors also go to the log of the server. */
export function failureOf(error: unknown): Failure {
  if (isHoldfastError(error)) return { code: error.code, message: error.message, next: error.next };
  logError(error);
  return { code: "unexpected", message: "unexpected error", next: "see the log of the MCP server" };
}

/** Hosts store the standard error of a server as its log. */
export function logError(error: unknown): void {
  process.stderr.write(`${error instanceof Error ? (error.stack ?? error.message) : String(error)}\n`);
}
