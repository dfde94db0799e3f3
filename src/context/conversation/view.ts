import { ContextError } from "./context-error.ts";
import { copy } from "./copy.ts";
import { resultsIn } from "./history.ts";
import type { History } from "./history-types.ts";
import { callsOf, type ModelMessage, resultsOf, type ToolCallPart } from "./message.ts";
import type { Scale } from "./scale.ts";

/** The rolling window, with open calls at its end. */
export function conversationOf({ items, summary, open }: History): ModelMessage[] {
  const [task, ...rest] = items.map((item) => item.message);
  const unfinished = [...(open?.answers ?? []), ...(open?.waiting ?? [])].map((entry) => entry.message);
  return copy([
    ...(task === undefined ? [] : [task]),
    ...(summary === null ? [] : [summary.message]),
    ...rest,
    ...unfinished,
  ]);
}

/** What would be sent. Throws while results are outstanding, because the request would be invalid. */
export function messagesOf(history: History): ModelMessage[] {
  const calls = outstandingOf(history).map((call) => call.toolCallId);
  if (calls.length > 0) throw new ContextError("calls-outstanding", { calls });
  const { system, volatile } = history;
  const conversation = conversationOf(history);
  assertSound(conversation);
  const last = volatile === null || conversation.length === 0 ? [] : [copy(volatile)];
  return [...(system === null ? [] : [copy(system)]), ...conversation, ...last];
}

export function outstandingOf({ open }: History): ToolCallPart[] {
  if (open === null) return [];
  const answered = new Set(resultsIn(open).map((part) => part.toolCallId));
  return copy(open.calls.filter(({ toolCallId }) => !answered.has(toolCallId)));
}

/** The uncalibrated count of system prompt, tools, window, open results and waiting text. */
export function rawTokens(history: History, scale: Scale, tools: number): number {
  const { system, summary, volatile, open } = history;
  const entries = [...(open?.answers ?? []), ...(open?.waiting ?? [])].map((entry) => entry.message);
  const singles = [system, summary?.message ?? null, volatile, ...entries];
  const rest = singles.reduce((sum, message) => sum + (message === null ? 0 : scale.message(message)), 0);
  return tools + rest + scale.list(history.items);
}

/** Asserts what must hold by construction; a violation is a bug and must not reach a provider. */
export function assertSound(conversation: readonly ModelMessage[]): void {
  let waiting: string[] = [];
  for (const [index, message] of conversation.entries()) {
    const results = resultsOf(message).map((part) => part.toolCallId);
    if (results.join() !== waiting.join()) throw new Error(`calls and results do not match before message ${index}`);
    if (message.content.length === 0) throw new Error(`message ${index} is empty`);
    waiting = callsOf(message).map((part) => part.toolCallId);
  }
  if (conversation[0] !== undefined && conversation[0].role !== "user") throw new Error("the user does not begin");
}
