import type { ModelMessage, SystemMessage, ToolCallPart, ToolResultPart, UserMessage } from "./message.ts";
import type { KeptSummary } from "./summary.ts";

/** A message as it arrived. It stays in the log, whatever happens to the window. */
export interface Entry {
  readonly id: number;
  readonly message: ModelMessage;
  readonly source: string | null;
  readonly topic: string | null;
  /** The state that the context was in. */
  readonly state: string | null;
}

/** An entry as the window shows it: whole, with its outputs cleared, or shortened. */
export interface Item {
  readonly entry: Entry;
  readonly message: ModelMessage;
}

/** Calls that wait for their results. */
export interface OpenCalls {
  readonly calls: readonly ToolCallPart[];
  /** The tool messages so far; together they become one when the last result is there. */
  readonly answers: Entry[];
  readonly waiting: Entry[];
}

/** Where a context stands. The window (summary, items, open calls) is a view of the log. */
export interface History {
  system: SystemMessage | null;
  state: string | null;
  data: Readonly<Record<string, string>>;
  volatile: ModelMessage | null;
  readonly log: Entry[];
  /** Every call that was ever made, with its result when there is one. */
  readonly callIds: Map<string, ToolResultPart | null>;
  items: Item[];
  open: OpenCalls | null;
  summary: (KeptSummary & { readonly message: UserMessage }) | null;
  /** The first id that belongs to the current state. */
  since: number;
  nextId: number;
  clears: number;
  /** What the provider counts for each token that we count. */
  factor: number;
}
