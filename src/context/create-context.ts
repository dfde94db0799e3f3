import { compactHistory } from "./compaction/compaction.ts";
import type { Context, ContextOptions } from "./context.ts";
import { readArrival } from "./conversation/arrive.ts";
import { checkBlocks } from "./conversation/blocks.ts";
import { ContextError } from "./conversation/context-error.ts";
import { copy } from "./conversation/copy.ts";
import { apply, emptyHistory } from "./conversation/history.ts";
import type { History } from "./conversation/history-types.ts";
import { checkPolicy, coderPolicy, type Policy } from "./conversation/policy.ts";
import type { ContextRecord } from "./conversation/record.ts";
import { messageId } from "./conversation/shrink.ts";
import { conversationOf, messagesOf, outstandingOf, rawTokens } from "./conversation/view.ts";
import { decideEnter } from "./enter.ts";
import { explainTransition } from "./explain.ts";
import { calibrate, factorOf, invalid, type Model, readModel } from "./model.ts";
import { logOf, readOutput } from "./output.ts";
import { createJournal, type Journal } from "./persistence/journal.ts";
import { replay } from "./persistence/replay.ts";

const interrupted =
  "Interrupted: the program stopped before a result was recorded. The call may have taken effect; check before repeating it.";

export function createContext(options: ContextOptions): Context {
  return openContext(openParts(options));
}

/**
 * Restores a saved conversation. Calls that a crash left without results are closed as interrupted, unless the caller
 * will still answer them.
 */
export function restoreContext(
  saved: string,
  options: ContextOptions & { readonly outstanding?: "repair" | "keep" },
): Context {
  const parts = openParts(options);
  for (const record of replay(parts.history, saved)) parts.journal.add(record);
  const context = openContext(parts);
  if (options.outstanding !== "keep") context.repair();
  return context;
}

/** The internal state of a context. */
interface ContextParts {
  readonly options: ContextOptions;
  readonly history: History;
  readonly journal: Journal;
  readonly policy: Policy;
  readonly pins: ReadonlySet<string>;
  readonly headroom: number;
  model: Model;
  compacting: boolean;
}

function openParts(options: ContextOptions): ContextParts {
  const { policy, states = {}, headroom = 0.3, pins = ["feedback", "question", "answer"] } = options;
  if (policy !== undefined) checkPolicy(policy, Object.keys(states));
  if (!(headroom >= 0 && headroom < 1)) throw invalid("headroom", "is not a share between 0 and 1");
  return {
    options,
    history: emptyHistory(),
    journal: createJournal(),
    policy: policy ?? coderPolicy,
    pins: new Set(pins),
    headroom,
    model: readModel(options),
    compacting: false,
  };
}

function openContext(parts: ContextParts): Context {
  const { history, journal } = parts;
  return {
    systemPrompt: () => copy(history.system) ?? undefined,
    conversation: () => conversationOf(history),
    messages: () => messagesOf(history),
    outstanding: () => outstandingOf(history),
    state: () => history.state,
    data: () => ({ ...history.data }),
    tokens: () => tokensOf(parts),
    limit: () => parts.model.limit,
    log: () => logOf(history),
    readOutput: (id, { from = 0, count = Number.POSITIVE_INFINITY } = {}) => readOutput(history, id, from, count),
    save: ({ after = 0 } = {}) => journal.text(after),
    savedLines: () => journal.size,
    useModel(model) {
      parts.model = readModel(model);
    },
    ...writers(parts),
    ...transitions(parts),
    compact: (maxTokens = parts.model.limit, { signal } = {}) => compact(parts, maxTokens, signal),
  };
}

type Writers = Pick<Context, "resetSystemPrompt" | "append" | "repair" | "setVolatile" | "reportUsage">;

function writers(parts: ContextParts): Writers {
  const { history } = parts;
  return {
    resetSystemPrompt(text, { conversation = "keep" } = {}) {
      if (typeof text !== "string" || text.trim() === "") throw invalid("the system prompt", "is empty");
      write(parts, { type: "system-prompt-reset", text: text.trim(), conversation });
    },
    append(role, content, options = {}) {
      const arrival = readArrival(history, role, content, options);
      if (arrival === null) return null;
      if (isBlock(parts, options.source)) checkInserted(parts, arrival.message.content, "conversation");
      const id = messageId(history.nextId);
      write(parts, { type: "message-appended", ...arrival });
      return id;
    },
    repair() {
      const calls = outstandingOf(history).map((call) => call.toolCallId);
      if (calls.length > 0) write(parts, { type: "calls-repaired", output: interrupted });
      return calls;
    },
    setVolatile(text) {
      const words = text === null || text.trim() === "" ? null : text.trim();
      if (words !== null) checkInserted(parts, words, "volatile text");
      write(parts, { type: "volatile-set", text: words });
    },
    reportUsage(inputTokens) {
      write(parts, { type: "usage-reported", factor: factorOf(inputTokens, counted(parts), history.factor) });
    },
  };
}

function transitions(parts: ContextParts): Pick<Context, "enter" | "explain"> {
  const { history, policy } = parts;
  const setup = { policy, states: parts.options.states ?? {} };
  return {
    enter(state, data = {}, options = {}) {
      const record = decideEnter(history, setup, state, data, options);
      const explanation = explainTransition(history, setup, record.from ?? state, state, options.reason);
      write(parts, record);
      return explanation;
    },
    explain: (from, to, reason) => explainTransition(history, setup, from, to, reason),
  };
}

async function compact(
  parts: ContextParts,
  maxTokens: number,
  signal: AbortSignal | undefined,
): ReturnType<Context["compact"]> {
  if (!Number.isInteger(maxTokens) || maxTokens < 1) throw invalid("maxTokens", "is not a whole number of tokens");
  if (parts.compacting) throw new ContextError("compaction-running", {});
  const { history, model, pins, headroom } = parts;
  const before = tokensOf(parts);
  const none = { stages: [], summarizer: "not-needed", cost: { input: 0, output: 0 } } as const;
  if (before <= maxTokens) return { status: "unchanged", before, after: before, target: maxTokens, ...none };
  const most = Math.floor(maxTokens / history.factor + 1e-6);
  const { clears } = history;
  parts.compacting = true;
  try {
    const options = { scale: model.scale, tools: model.tools, pins, summarize: parts.options.summarize, signal };
    const target = { most, goal: Math.floor(most * (1 - headroom)) };
    const { record, ...rest } = await compactHistory(history, options, target);
    if (history.clears !== clears) throw new ContextError("conversation-changed", {});
    write(parts, record);
    return { status: "compacted", before, after: tokensOf(parts), target: maxTokens, ...rest };
  } finally {
    parts.compacting = false;
  }
}

function write({ history, journal }: ContextParts, record: ContextRecord): void {
  apply(history, record);
  journal.add(record);
}

function counted({ history, model }: ContextParts): number {
  return rawTokens(history, model.scale, model.tools);
}

function tokensOf(parts: ContextParts): number {
  return calibrate(counted(parts), parts.history.factor);
}

/** A message whose source is a block's name, or the task, must not repeat text of the system prompt. */
function isBlock({ policy }: ContextParts, source: string | undefined): boolean {
  return source === "task" || policy.slots.some(({ name }) => name === source);
}

function checkInserted({ history }: ContextParts, content: unknown, where: string): void {
  const text = typeof content === "string" ? content : JSON.stringify(content);
  checkBlocks(history.data, history.system?.content ?? "", text, where);
}
