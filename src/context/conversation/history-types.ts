import type { ModelMessage, SystemMessage, ToolCallPart, ToolResultPart, UserMessage } from "./message.ts";
import type { KeptSummary } from "./summary.ts";

/** A message as it was appended. It stays in the log, whatever happens to the window. */
export interface Entry {
  readonly id: number;
  readonly message: ModelMessage;
  readonly source: string | null;
  readonly topic: string | null;
  /** The state of the context at that time. */
  readonly state: string | null;
}

/** An entry as it appears in the window: in full, with outputs cleared, or shortened. */
export interface Item {
  readonly entry: Entry;
  readonly message: ModelMessage;
}

/** Calls that are waiting for their results. */
export interface OpenCalls {
  readonly calls: readonly ToolCallPart[];
  /** The tool messages so far; they are merged into one when the last result is there. */
  readonly answers: Entry[];
  readonly waiting: Entry[];
}

/** The state of a context. The window (summary, items, open calls) is a view of the log. */
export interface History {
  system: SystemMessage | null;
  state: string | null;
  data: Readonly<Record<string, string>>;
  volatile: ModelMessage | null;
  readonly log: Entry[];
  /** Every call ever made, with its result if there is one. */
  readonly callIds: Map<string, ToolResultPart | null>;
  items: Item[];
  open: OpenCalls | null;
  summary: (KeptSummary & { readonly message: UserMessage }) | null;
  /** The first message id of the current state. */
  since: number;
  nextId: number;
  clears: number;
  /** The provider's tokens per token that we count. */
  factor: number;
}
