import type { ModelMessage } from "./message.ts";
import type { KeptSummary } from "./summary.ts";

/** Everything that can happen to a context, in the past tense. A saved conversation is a list of these. */
export type ContextRecord =
  | { readonly type: "system-prompt-reset"; readonly text: string; readonly conversation: "keep" | "clear" }
  | ({ readonly type: "message-appended" } & Arrival)
  | StateEntered
  | Compacted
  | { readonly type: "calls-repaired"; readonly output: string }
  | { readonly type: "volatile-set"; readonly text: string | null }
  | { readonly type: "usage-reported"; readonly factor: number };

/** A message with its source. */
export interface Arrival {
  readonly message: ModelMessage;
  /** Where it comes from: task, phase, reply, tool, feedback, question, answer, test, or the caller's own name. */
  readonly source?: string;
  /** A later message on the same topic supersedes this one. */
  readonly topic?: string;
}

/** Contains the rendered templates, so that a restored prompt is identical, byte for byte. */
export interface StateEntered {
  readonly type: "state-entered";
  readonly from: string | null;
  readonly to: string;
  readonly reason?: string;
  readonly context: "keep" | "clear";
  readonly data: Readonly<Record<string, string>>;
  readonly prompt: string;
  readonly arrivals: readonly Arrival[];
}

export interface Compacted {
  readonly type: "compacted";
  /** The calls whose outputs were replaced with pointers. */
  readonly cleared: readonly string[];
  /** The ids of the messages that left the window, as ranges. */
  readonly dropped: readonly (readonly [first: number, last: number])[];
  readonly shortened: readonly { readonly id: number; readonly limit: number }[];
  /** Absent if the summary stays as it is. */
  readonly summary?: KeptSummary | null;
}
