export type { CompactionReport } from "./compaction/compaction.ts";
export type { Stage } from "./compaction/compaction-draft.ts";
export type { Summarize, SummarizerFate, SummaryRequest } from "./compaction/summarize.ts";
export type { Context, ContextOptions, ModelOptions } from "./context.ts";
export type { AppendOptions } from "./conversation/arrive.ts";
export { ContextError, type ContextErrorCode, isContextError } from "./conversation/context-error.ts";
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
} from "./conversation/message.ts";
export { type CarrySlot, coderPolicy, type Policy, type TransitionRule } from "./conversation/policy.ts";
export type { CountTokens } from "./conversation/scale.ts";
export type { Slots } from "./conversation/slots.ts";
export type { Summary } from "./conversation/summary.ts";
export { createContext, restoreContext } from "./create-context.ts";
export type { EnterOptions, StateDefinition } from "./enter.ts";
export type { Explanation } from "./explain.ts";
export type { LogEntry, Output } from "./output.ts";
export { isOverflowError, type SendOptions, sendOrCompact } from "./overflow.ts";
