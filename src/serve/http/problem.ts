import { isHoldfastError } from "../../errors.ts";
import { type Refusal, wordRefusal } from "../../model/refusal/refusal.ts";
import { visibleJson } from "../../model/written/unseen-text.ts";
import type { ApiProblem } from "../contract/contract.ts";

/** An error with its HTTP status. */
export class HttpProblem extends Error {
  override readonly name = "HttpProblem";
  readonly status: number;
  readonly code: string;
  readonly next: string;

  constructor(status: number, code: string, message: string, next: string) {
    super(message);
    this.status = status;
    this.code = code;
    this.next = next;
  }
}

/**
 * JSON in which every character can be seen: no text of a run turns the line around or hides in a viewer. Nor does one look
 * like a tag, should the answer ever be taken for a page.
 */
export function jsonOf(value: unknown): string {
  return visibleJson(JSON.stringify(value)).replace(/[<>&]/g, (sign) => `\\u00${sign.charCodeAt(0).toString(16)}`);
}

export function jsonAnswer(value: unknown, status = 200): Response {
  return new Response(jsonOf(value), { status, headers: { "content-type": "application/json; charset=utf-8" } });
}

export function problemAnswer(problem: HttpProblem): Response {
  const { code, message, next, status } = problem;
  return jsonAnswer({ error: { code, message, next } } satisfies ApiProblem, status);
}

/** Whatever was thrown, as an answer. What nobody expected is told in no detail; `report` gets all of it. */
export function problemOf(error: unknown, report: (error: unknown) => void): HttpProblem {
  if (error instanceof HttpProblem) return error;
  if (isHoldfastError(error)) {
    const status = error.code === "version-conflict" ? 409 : 500;
    return new HttpProblem(status, error.code, error.message, error.next);
  }
  report(error);
  return new HttpProblem(500, "unexpected", "an unexpected error", "see the terminal in which the server runs");
}

const missing: readonly Refusal["code"][] = ["run-unknown", "run-absent", "workflow-unknown", "event-unknown"];

export function refusalProblem(refusal: Refusal): HttpProblem {
  const { code } = refusal;
  const { message, next } = wordRefusal(refusal);
  const status = code === "person-needed" ? 403 : missing.includes(code) ? 404 : 409;
  return new HttpProblem(status, code, message, next);
}
