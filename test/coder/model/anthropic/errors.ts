import { randomUUID } from "node:crypto";
import { named } from "../../../clients/loopback-server.ts";
import type { HttpError, HttpErrorKind } from "../wire.ts";

type Told = readonly [status: number, type: string, message: string];

const errors: Readonly<Record<HttpErrorKind, Told>> = {
  overloaded: [529, "overloaded_error", "Overloaded"],
  "rate-limit": [
    429,
    "rate_limit_error",
    "This request would exceed your organization's rate limit of 30,000 input tokens per minute.",
  ],
  "no-credit": [
    400,
    "invalid_request_error",
    "Your credit balance is too low to access the Anthropic API. Please go to Plans & Billing to upgrade or purchase credits.",
  ],
  "bad-key": [401, "authentication_error", "invalid x-api-key"],
  "no-model": [404, "not_found_error", "model: scripted"],
  overflow: [400, "invalid_request_error", "prompt is too long: 210000 tokens > 200000 maximum"],
  server: [500, "api_error", "Internal server error"],
};

export function anthropicError(kind: HttpErrorKind, retryAfter: number | undefined): HttpError {
  const [status, type, message] = errors[kind];
  const limits = kind === "rate-limit" ? limitHeaders(retryAfter ?? 20) : {};
  const later = retryAfter === undefined ? {} : { "retry-after": String(retryAfter) };
  return failure(status, type, message, { ...limits, ...later });
}

export function anthropicBadRequest(message: string): HttpError {
  return failure(400, "invalid_request_error", message, {});
}

export function anthropicStreamError(kind: HttpErrorKind): string {
  const [, type, message] = errors[kind];
  return named({ type: "error", error: { type, message } });
}

function limitHeaders(seconds: number): Record<string, string> {
  const reset = new Date(Date.now() + seconds * 1000).toISOString();
  return {
    "retry-after": String(seconds),
    "anthropic-ratelimit-requests-limit": "50",
    "anthropic-ratelimit-requests-remaining": "49",
    "anthropic-ratelimit-requests-reset": reset,
    "anthropic-ratelimit-input-tokens-limit": "30000",
    "anthropic-ratelimit-input-tokens-remaining": "0",
    "anthropic-ratelimit-input-tokens-reset": reset,
  };
}

function failure(status: number, type: string, message: string, headers: Record<string, string>): HttpError {
  const request_id = `req_${randomUUID()}`;
  const value = { type: "error", error: { type, message }, request_id };
  return { status, headers: { ...headers, "request-id": request_id }, value };
}
