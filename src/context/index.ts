export type { AppendOptions } from "./arrive.ts";
export type { CompactionReport } from "./compaction.ts";
export type { Context, ContextOptions, ModelOptions } from "./context.ts";
export { ContextError, type ContextErrorCode, isContextError } from "./context-error.ts";
export { createContext, restoreContext } from "./create-context.ts";
export type { Stage } from "./draft.ts";
export type { EnterOptions, StateDefinition } from "./enter.ts";
export type { Explanation } from "./explain.ts";
export type {
  AssistantMessage,
  AssistantPart,
  ModelMessage,
  Part,
  ProviderOptions,
  Role,
  SystemMessage,
  ToolCallPart,
  ToolMessage,
  ToolOutput,
  ToolResultPart,
  UserMessage,
} from "./message.ts";
export type { LogEntry, Output } from "./output.ts";
export { isOverflowError, type SendOptions, sendOrCompact } from "./overflow.ts";
export { type CarrySlot, coderPolicy, type Policy, type TransitionRule } from "./policy.ts";
export type { CountTokens } from "./scale.ts";
export type { Slots } from "./slots.ts";
export type { Summarize, SummarizerFate, SummaryRequest } from "./summarize.ts";
export type { Summary } from "./summary.ts";
