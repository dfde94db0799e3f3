import { codePoints, page } from "../model/truncate.ts";
import { ContextError } from "./conversation/context-error.ts";
import { copy } from "./conversation/copy.ts";
import type { History } from "./conversation/history-types.ts";
import { type ModelMessage, outputText, resultsOf, wordsOf } from "./conversation/message.ts";
import { messageId } from "./conversation/shrink.ts";

/** A page of a text that is not, or not completely, in the window. Sizes are in code points. */
export interface Output {
  readonly id: string;
  readonly text: string;
  readonly size: number;
  /** Where the next page begins; null for the last page. */
  readonly next: number | null;
}

export interface LogEntry {
  readonly id: string;
  readonly message: ModelMessage;
  readonly source: string | null;
  readonly state: string | null;
}

export function readOutput(history: History, id: string, from: number, count: number): Output {
  const text = findOutput(history, id);
  if (text === null) throw new ContextError("output-unknown", { id });
  return { id, size: codePoints(text), ...page(text, Math.max(0, from), Math.max(1, count)) };
}

export function logOf(history: History): LogEntry[] {
  const { open } = history;
  const entries = [...history.log, ...(open?.answers ?? []), ...(open?.waiting ?? [])];
  return entries.map(({ id, message, source, state }) => ({
    id: messageId(id),
    message: copy(message),
    source,
    state,
  }));
}

function findOutput(history: History, id: string): string | null {
  const result = history.callIds.get(id);
  if (result != null) return outputText(result.output);
  const entry = history.log.find((candidate) => messageId(candidate.id) === id);
  if (entry === undefined) return null;
  const results = resultsOf(entry.message).map((part) => outputText(part.output));
  return [wordsOf(entry.message), ...results].filter((text) => text !== "").join("\n");
}
