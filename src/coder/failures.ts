import { isOverflowError } from "../context/overflow.ts";
import { isRecord, ownEntry } from "../model/json.ts";
import type { AgentFailure } from "../runner/agents/agent.ts";

/** What a provider's error means for the run, by its type and status, never by its prose. */
export function failureOf(error: unknown, now: number): AgentFailure {
  const { status, code, headers, reason, isFinal } = factsOf(error);
  if (isOverflowError(error)) return { kind: "limit", reason: `the conversation does not fit the model: ${reason}` };
  if (code === "insufficient_quota") return { kind: "quota", reason };
  const byCode = code === null ? undefined : ownEntry(kindsByCode, code);
  const kind = byCode ?? kindOfStatus(status, isFinal);
  const until = kind === "limit" ? retryTime(headers, now) : undefined;
  return { kind, reason, ...(until !== undefined && { until }) };
}

const kindsByCode: Readonly<Record<string, AgentFailure["kind"]>> = {
  overloaded_error: "overloaded",
  rate_limit_error: "limit",
  rate_limit_exceeded: "limit",
  authentication_error: "key",
  permission_error: "key",
  invalid_api_key: "key",
  billing_error: "quota",
  model_not_found: "not-started",
  not_found_error: "not-started",
  JSONParseError: "garbage",
  TypeValidationError: "garbage",
  InvalidResponseDataError: "garbage",
  NoOutputGeneratedError: "empty",
};

/** What fails without an answer, or in the middle of one, may go well the next time. */
function kindOfStatus(status: number | null, isFinal: boolean): AgentFailure["kind"] {
  if (status === null || status === 200) return "overloaded";
  if (status === 401 || status === 403) return "key";
  if (status === 402) return "quota";
  if (status === 429) return "limit";
  if (status >= 500 && !isFinal) return "overloaded";
  return "garbage";
}

interface ErrorFacts {
  readonly status: number | null;
  readonly code: string | null;
  readonly headers: Readonly<Record<string, unknown>>;
  readonly reason: string;
  /** The SDK knows that it would be the same the next time. */
  readonly isFinal: boolean;
}

function factsOf(error: unknown): ErrorFacts {
  const outer = isRecord(error) ? error : {};
  const data = isRecord(outer.data) ? outer.data : {};
  const inner = isRecord(data.error) ? data.error : data;
  const status = typeof outer.statusCode === "number" ? outer.statusCode : null;
  const own = error instanceof Error ? error.name.replace(/^AI_/, "") : null;
  const codes = [inner.code, inner.type, outer.code, outer.type, own];
  const code = codes.find((one) => typeof one === "string" && (one === "insufficient_quota" || one in kindsByCode));
  const message = typeof outer.message === "string" ? outer.message : String(error);
  const first = message.split("\n")[0] ?? "";
  return {
    status,
    code: typeof code === "string" ? code : null,
    isFinal: outer.isRetryable === false,
    headers: isRecord(outer.responseHeaders) ? outer.responseHeaders : {},
    reason: `the provider answered${status === null ? "" : ` ${status}`}: ${first.slice(0, 300)}`,
  };
}

/** A limit that has already ended by the provider's clock must not become a loop without a pause. */
const shortestWaitMs = 1_000;

/** `retry-after` is a number of seconds or a date. */
function retryTime(headers: ErrorFacts["headers"], now: number): string | undefined {
  const value = headers["retry-after"];
  if (typeof value !== "string") return undefined;
  const time = /^\d{1,7}(\.\d+)?$/.test(value) ? now + Number(value) * 1_000 : Date.parse(value);
  return Number.isNaN(time) ? undefined : new Date(Math.max(time, now + shortestWaitMs)).toISOString();
}
