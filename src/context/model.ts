import type { ModelOptions } from "./context.ts";
import { ContextError } from "./conversation/context-error.ts";
import { createScale, type Scale } from "./conversation/scale.ts";

/** The model as the context sees it. */
export interface Model {
  readonly scale: Scale;
  /** The tokens of its tools. */
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

/** A report far below our count measures something else, such as only the uncached part, and is ignored. */
const leastFactor = 0.6;
const mostFactor = 4;

/** The provider's tokens per token that we count; unchanged if the report is not plausible. */
export function factorOf(inputTokens: number, counted: number, before: number): number {
  if (!Number.isFinite(inputTokens) || inputTokens <= 0) throw invalid("the reported usage", "is no number of tokens");
  const factor = counted === 0 ? before : inputTokens / counted;
  return factor < leastFactor ? before : Math.min(mostFactor, factor);
}

/** Rounds up, except for a rounding error just above a whole number. */
export function calibrate(counted: number, factor: number): number {
  return Math.max(0, Math.ceil(counted * factor - 1e-6));
}

export function invalid(option: string, problem: string): ContextError<"option-invalid"> {
  return new ContextError("option-invalid", { option, problem });
}
