import { readMessage } from "./content.ts";
import { ContextError } from "./context-error.ts";
import type { History } from "./history-types.ts";
import { callsOf, type ModelMessage, type ProviderOptions, resultsOf } from "./message.ts";
import type { Arrival } from "./record.ts";
import { outstandingOf } from "./view.ts";

export interface AppendOptions {
  /** Where the message comes from: task, phase, reply, feedback, question, answer, test, or a name of your own. */
  readonly source?: string;
  /** A later message on the same topic supersedes this one, and compaction may drop it. */
  readonly topic?: string;
  /** The reply was cut off by its length limit; its calls are dropped, because they must not be run. */
  readonly truncated?: boolean;
  readonly providerOptions?: ProviderOptions;
}

/** Parses and checks a message before it is appended; null if it is empty. */
export function readArrival(history: History, role: string, content: unknown, options: AppendOptions): Arrival | null {
  const message = readMessage(role, role === "tool" ? answerOf(history, content) : content, options);
  if (message === null) return null;
  checkArrival(history, message);
  const topic = options.topic ?? (options.source === "phase" ? "phase" : undefined);
  return {
    message,
    ...(options.source !== undefined && { source: options.source }),
    ...(topic !== undefined && { topic }),
  };
}

/** Rejects what no provider accepts. Restored conversations are checked here, too. */
export function checkArrival(history: History, message: ModelMessage): void {
  if (message.role === "tool") {
    checkResults(
      history,
      resultsOf(message).map((part) => part.toolCallId),
    );
    return;
  }
  if (message.role !== "user" && history.items.length === 0) {
    throw new ContextError("conversation-not-started", { role: message.role });
  }
  const calls = callsOf(message).map((part) => part.toolCallId);
  if (calls.length > 0) checkCalls(history, calls);
}

function checkResults(history: History, results: readonly string[]): void {
  const outstanding = outstandingOf(history).map((call) => call.toolCallId);
  for (const [index, call] of results.entries()) {
    if (outstanding.includes(call) && results.indexOf(call) === index) continue;
    throw new ContextError("result-unexpected", { call, outstanding });
  }
}

function checkCalls(history: History, calls: readonly string[]): void {
  if (history.open !== null) {
    throw new ContextError("calls-outstanding", { calls: outstandingOf(history).map((call) => call.toolCallId) });
  }
  const twice = calls.find((call, index) => history.callIds.has(call) || calls.indexOf(call) !== index);
  if (twice !== undefined) throw new ContextError("call-duplicate", { call: twice });
}

/** Plain text as a tool result answers the only waiting call. */
function answerOf(history: History, content: unknown): unknown {
  if (typeof content !== "string") return content;
  const [call, ...others] = outstandingOf(history);
  if (call === undefined || others.length > 0) return content;
  const { toolCallId, toolName } = call;
  return [{ type: "tool-result", toolCallId, toolName, output: { type: "text", value: content } }];
}
