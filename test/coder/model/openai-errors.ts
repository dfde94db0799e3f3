import type { HttpError, HttpErrorKind } from "./wire.ts";

/** What both APIs of OpenAI say. */
export interface OpenAiError {
  readonly message: string;
  readonly type: string;
  readonly param: string | null;
  readonly code: string | null;
}

type Told = readonly [status: number, message: string, type: string, code: string | null];

const errors: Readonly<Record<HttpErrorKind, Told>> = {
  overloaded: [503, "The engine is currently overloaded, please try again later", "server_error", null],
  "rate-limit": [
    429,
    "Rate limit reached for scripted in organization org-x on tokens per min (TPM): Limit 30000, Used 29000, Requested 5000. Please try again in 20s.",
    "tokens",
    "rate_limit_exceeded",
  ],
  "no-credit": [
    429,
    "You exceeded your current quota, please check your plan and billing details.",
    "insufficient_quota",
    "insufficient_quota",
  ],
  "bad-key": [401, "Incorrect API key provided: sk-wrong.", "invalid_request_error", "invalid_api_key"],
  "no-model": [404, "The model `scripted` does not exist.", "invalid_request_error", "model_not_found"],
  overflow: [
    400,
    "Your input exceeds the context window of this model. Please adjust your input and try again.",
    "invalid_request_error",
    "context_length_exceeded",
  ],
  server: [500, "The server had an error while processing your request.", "server_error", null],
};

export function openAiError(kind: HttpErrorKind, retryAfter: number | undefined): HttpError {
  const limits = kind === "rate-limit" ? limitHeaders(retryAfter ?? 20) : {};
  const later = retryAfter === undefined ? {} : { "retry-after": String(retryAfter) };
  return { status: errors[kind][0], headers: { ...limits, ...later }, value: { error: errorOf(kind) } };
}

export function errorOf(kind: HttpErrorKind): OpenAiError {
  const [, message, type, code] = errors[kind];
  return { message, type, param: null, code };
}

export function openAiBadRequest(message: string): HttpError {
  const error: OpenAiError = { message, type: "invalid_request_error", param: null, code: null };
  return { status: 400, headers: {}, value: { error } };
}

function limitHeaders(seconds: number): Record<string, string> {
  return {
    "retry-after": String(seconds),
    "x-ratelimit-limit-tokens": "30000",
    "x-ratelimit-remaining-tokens": "0",
    "x-ratelimit-reset-tokens": `${seconds}s`,
  };
}
