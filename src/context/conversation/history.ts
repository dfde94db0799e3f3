import type { Entry, History, Item, OpenCalls } from "./history-types.ts";
import { callsOf, type ModelMessage, resultsOf, type ToolResultPart } from "./message.ts";
import type { Arrival, Compacted, ContextRecord, StateEntered } from "./record.ts";
import { clearOutputs, shortenMessage } from "./shrink.ts";
import { summaryMessage } from "./summary.ts";

export function emptyHistory(): History {
  return {
    system: null,
    state: null,
    data: {},
    volatile: null,
    log: [],
    callIds: new Map(),
    items: [],
    open: null,
    summary: null,
    since: 1,
    nextId: 1,
    clears: 0,
    factor: 1,
  };
}

/**
 * Applies one record to the history, in place, so that the cost of an append does not grow with the history. Nothing
 * else changes a history, and its messages are never changed.
 */
export function apply(history: History, record: ContextRecord): void {
  switch (record.type) {
    case "system-prompt-reset":
      history.system = { role: "system", content: record.text };
      if (record.conversation === "clear") clear(history);
      return;
    case "message-appended":
      arrive(history, record);
      return;
    case "state-entered":
      enter(history, record);
      return;
    case "compacted":
      compact(history, record);
      return;
    case "calls-repaired":
      repair(history, record.output);
      return;
    case "volatile-set":
      history.volatile = record.text === null ? null : volatileMessage(record.text);
      return;
    case "usage-reported":
      history.factor = record.factor;
  }
}

/** Holds back text that arrives between a call and its results until all results are there. */
function arrive(history: History, { message, source, topic }: Arrival): void {
  const id = history.nextId++;
  const entry: Entry = { id, message, source: source ?? null, topic: topic ?? null, state: history.state };
  const { open } = history;
  if (message.role === "tool" && open !== null) {
    open.answers.push(entry);
    if (resultsIn(open).length === open.calls.length) close(history, open);
    return;
  }
  if (open !== null) {
    open.waiting.push(entry);
    return;
  }
  show(history, entry);
  const calls = callsOf(message);
  for (const { toolCallId } of calls) history.callIds.set(toolCallId, null);
  if (calls.length > 0) history.open = { calls, answers: [], waiting: [] };
}

/** Merges the results into one message, in the order of the calls, followed by the text that was held back. */
function close(history: History, open: OpenCalls): void {
  history.open = null;
  for (const entry of [...merged(open), ...open.waiting]) show(history, entry);
  keepResults(history, open);
}

function merged({ calls, answers }: OpenCalls): Entry[] {
  const last = answers.at(-1);
  const results = new Map(answers.flatMap(({ message }) => resultsOf(message)).map((part) => [part.toolCallId, part]));
  const content = calls.flatMap(({ toolCallId }) => results.get(toolCallId) ?? []);
  return last === undefined ? [] : [{ ...last, message: { ...last.message, role: "tool", content } }];
}

function keepResults(history: History, open: OpenCalls): void {
  for (const part of resultsIn(open)) history.callIds.set(part.toolCallId, part);
}

/** The results so far. */
export function resultsIn({ answers }: OpenCalls): ToolResultPart[] {
  return answers.flatMap(({ message }) => resultsOf(message));
}

function show(history: History, entry: Entry): void {
  history.log.push(entry);
  history.items.push({ entry, message: entry.message });
}

function repair(history: History, value: string): void {
  const { open } = history;
  if (open === null) return;
  const answered = new Set(resultsIn(open).map((part) => part.toolCallId));
  const content = open.calls
    .filter(({ toolCallId }) => !answered.has(toolCallId))
    .map<ToolResultPart>(({ toolCallId, toolName }) => ({
      type: "tool-result",
      toolCallId,
      toolName,
      output: { type: "error-text", value },
    }));
  arrive(history, { message: { role: "tool", content }, source: "interrupted" });
}

function enter(history: History, record: StateEntered): void {
  if (record.context === "clear") clear(history);
  if (history.system?.content !== record.prompt) history.system = { role: "system", content: record.prompt };
  history.state = record.to;
  history.data = record.data;
  for (const arrival of record.arrivals) arrive(history, arrival);
  history.since = history.nextId;
}

/** Clears the window together with open calls and waiting text. The log keeps everything. */
function clear(history: History): void {
  const { open } = history;
  if (open !== null) {
    history.log.push(...merged(open), ...open.waiting);
    keepResults(history, open);
  }
  history.items = [];
  history.open = null;
  history.summary = null;
  history.clears++;
}

function compact(history: History, record: Compacted): void {
  const cleared = new Set(record.cleared);
  const limits = new Map(record.shortened.map(({ id, limit }) => [id, limit]));
  const isDropped = dropTest(record.dropped);
  history.items = history.items.flatMap((item): Item[] => {
    if (isDropped(item.entry.id)) return [];
    const message = cleared.size > 0 ? clearOutputs(item.message, cleared) : item.message;
    const limit = limits.get(item.entry.id);
    const seen = limit === undefined ? message : shortenMessage(item.entry.message, limit, item.entry.id);
    return [seen === item.message ? item : { entry: item.entry, message: seen }];
  });
  if (record.summary === null) history.summary = null;
  else if (record.summary !== undefined) {
    history.summary = { ...record.summary, message: summaryMessage(record.summary) };
  }
}

/** Whether an id is in one of the sorted ranges. */
function dropTest(ranges: Compacted["dropped"]): (id: number) => boolean {
  return (id) => {
    let low = 0;
    let high = ranges.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((ranges[middle]?.[1] ?? 0) < id) low = middle + 1;
      else high = middle;
    }
    return (ranges[low]?.[0] ?? Number.POSITIVE_INFINITY) <= id;
  };
}

/** Marked, so that adapters exclude it from the provider's prompt cache. */
function volatileMessage(text: string): ModelMessage {
  return { role: "user", content: text, providerOptions: { holdfast: { volatile: true } } };
}
