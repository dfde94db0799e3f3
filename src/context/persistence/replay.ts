import { checkArrival } from "../conversation/arrive.ts";
import { readMessage } from "../conversation/content.ts";
import { isContextError } from "../conversation/context-error.ts";
import { apply } from "../conversation/history.ts";
import type { History } from "../conversation/history-types.ts";
import type { ProviderOptions } from "../conversation/message.ts";
import type { Arrival, Compacted, ContextRecord, StateEntered } from "../conversation/record.ts";
import { emptySummary, readSummary } from "../conversation/summary.ts";
import { assertSound, conversationOf, outstandingOf } from "../conversation/view.ts";
import { corrupt, readJournal } from "./journal.ts";

type Fields = Readonly<Record<string, unknown>>;

/** Rebuilds a history from saved records, with the same checks as when they were appended. */
export function replay(history: History, text: string): ContextRecord[] {
  const records: ContextRecord[] = [];
  for (const [index, value] of readJournal(text).entries()) {
    const record = attempt(index + 2, () => readRecord(history, value));
    apply(history, record);
    records.push(record);
  }
  if (outstandingOf(history).length === 0) attempt(records.length + 1, () => assertSound(conversationOf(history)));
  return records;
}

function attempt<T>(line: number, act: () => T): T {
  try {
    return act();
  } catch (error) {
    if (!(error instanceof Error) || isContextError(error, "saved-corrupt")) throw error;
    throw corrupt(line, error.message, error);
  }
}

function readRecord(history: History, value: unknown): ContextRecord {
  const fields = object(value);
  switch (fields.type) {
    case "system-prompt-reset":
      return { type: fields.type, text: text(fields.text), conversation: action(fields.conversation) };
    case "message-appended":
      return { type: fields.type, ...readArrival(fields, history) };
    case "state-entered":
      return readEntered(fields);
    case "compacted":
      return readCompacted(fields);
    case "calls-repaired":
      return { type: fields.type, output: text(fields.output) };
    case "volatile-set":
      return { type: fields.type, text: fields.text === null ? null : text(fields.text) };
    case "usage-reported":
      if (typeof fields.factor !== "number" || !(fields.factor > 0)) throw new Error("the factor is no number");
      return { type: fields.type, factor: fields.factor };
    default:
      throw new Error("it holds no record of a known type");
  }
}

function readArrival(fields: Fields, history: History | null): Arrival {
  const { role, content, providerOptions } = object(fields.message);
  const options = providerOptions === undefined ? {} : { providerOptions: object(providerOptions) as ProviderOptions };
  const message = readMessage(String(role), content, options);
  if (message === null) throw new Error("a message is empty");
  if (history !== null) checkArrival(history, message);
  return {
    message,
    ...(fields.source !== undefined && { source: text(fields.source) }),
    ...(fields.topic !== undefined && { topic: text(fields.topic) }),
  };
}

function readEntered(fields: Fields): StateEntered {
  const data = Object.entries(object(fields.data)).map(([name, value]) => [name, text(value)] as const);
  const arrivals = list(fields.arrivals).map((arrival) => readArrival(object(arrival), null));
  if (arrivals.some(({ message }) => message.role !== "user")) throw new Error("a state begins with the user's words");
  return {
    type: "state-entered",
    from: fields.from === null ? null : text(fields.from),
    to: text(fields.to),
    ...(fields.reason !== undefined && { reason: text(fields.reason) }),
    context: action(fields.context),
    data: Object.fromEntries(data),
    prompt: text(fields.prompt),
    arrivals,
  };
}

function readCompacted(fields: Fields): Compacted {
  const record: Compacted = {
    type: "compacted",
    cleared: list(fields.cleared).map(text),
    dropped: list(fields.dropped).map((range) => {
      const [first, last] = list(range);
      return [whole(first), whole(last)] as const;
    }),
    shortened: list(fields.shortened).map((one) => ({ id: whole(object(one).id), limit: whole(object(one).limit) })),
  };
  if (fields.summary === undefined) return record;
  if (fields.summary === null) return { ...record, summary: null };
  const { summary, replaced } = object(fields.summary);
  return { ...record, summary: { summary: readSummary(object(summary)) ?? emptySummary, replaced: whole(replaced) } };
}

function object(value: unknown): Fields {
  if (typeof value === "object" && value !== null && !Array.isArray(value)) return value as Fields;
  throw new Error("a group of fields is missing");
}

function list(value: unknown): readonly unknown[] {
  if (Array.isArray(value)) return value;
  throw new Error("a list is missing");
}

function text(value: unknown): string {
  if (typeof value === "string") return value;
  throw new Error("a text is missing");
}

function whole(value: unknown): number {
  if (typeof value === "number" && Number.isInteger(value)) return value;
  throw new Error("a number is missing");
}

function action(value: unknown): "keep" | "clear" {
  if (value === "keep" || value === "clear") return value;
  throw new Error("it says neither keep nor clear");
}
