import type { ModelOptions } from "./context.ts";
import { ContextError } from "./conversation/context-error.ts";
import { createScale, type Scale } from "./conversation/scale.ts";

/** The model at the other end, as the context sees it. */
export interface Model {
  readonly scale: Scale;
  /** What its tools weigh. */
  readonly tools: number;
  readonly limit: number;
}

export function readModel({ countTokens, limits, tools = [] }: ModelOptions): Model {
  if (typeof countTokens !== "function") throw invalid("countTokens", "is not a function");
  const { window, reserve = 0 } = limits;
  if (!Number.isInteger(window) || window < 1) throw invalid("limits.window", "is not a whole number of tokens");
  if (!Number.isInteger(reserve) || reserve < 0) throw invalid("limits.reserve", "is not a whole number of tokens");
  if (reserve >= window) throw invalid("limits.reserve", "leaves nothing of the window");
  const scale = createScale(countTokens);
  const weight = tools.length === 0 ? 0 : scale.text(JSON.stringify(tools));
  return { scale, tools: weight, limit: window - reserve };
}

/** A report far below our count is about something else, such as the part that was not in a cache: not believed. */
const leastFactor = 0.6;
const mostFactor = 4;

/** What the provider counts for each token that we count, or what it was when the report cannot be meant so. */
export function factorOf(inputTokens: number, counted: number, before: number): number {
  if (!Number.isFinite(inputTokens) || inputTokens <= 0) throw invalid("the reported usage", "is no number of tokens");
  const factor = counted === 0 ? before : inputTokens / counted;
  return factor < leastFactor ? before : Math.min(mostFactor, factor);
}

/** Rounds up; a hair's breadth over a whole number is an error of the arithmetic. */
export function calibrate(counted: number, factor: number): number {
  return Math.max(0, Math.ceil(counted * factor - 1e-6));
}

export function invalid(option: string, problem: string): ContextError<"option-invalid"> {
  return new ContextError("option-invalid", { option, problem });
}
