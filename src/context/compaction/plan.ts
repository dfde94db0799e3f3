import { ContextError, type Weight } from "../conversation/context-error.ts";
import type { History, Item } from "../conversation/history-types.ts";
import { emptySummary, summaryMessage } from "../conversation/summary.ts";
import { type CompactionDraft, type CompactionDraftOptions, createCompactionDraft } from "./compaction-draft.ts";
import { clearOldOutputs, dropSuperseded, foldOldest, shortenKept } from "./stages.ts";

/** What a compaction will do, before the summary is made. */
export interface Plan {
  readonly draft: CompactionDraft;
  /** The messages to summarize; null if the summary stays as it is. */
  readonly folded: readonly Item[] | null;
  readonly replaced: number;
  /** The token limit of that summary; 0 if there is no room for one. */
  readonly room: number;
}

export interface Target {
  readonly most: number;
  /** Below `most`, so that the next message does not trigger another compaction. */
  readonly goal: number;
}

const summaryShare = 0.15;
const largestSummary = 1_500;

/** Plans in stages, cheapest first, and stops once the goal is met. Pure: does not change the history. */
export function planCompaction(history: History, options: CompactionDraftOptions, target: Target): Plan {
  const draft = createCompactionDraft(history, options);
  clearOldOutputs(draft, target.goal);
  dropSuperseded(draft, target.goal);
  if (draft.tokens <= target.goal) return { draft, folded: null, replaced: 0, room: 0 };
  return planSummary(history, options, target, draft);
}

function planSummary(
  history: History,
  options: CompactionDraftOptions,
  { most, goal }: Target,
  draft: CompactionDraft,
): Plan {
  const { summary } = history;
  const wanted = Math.min(largestSummary, Math.max(1, Math.floor(goal * summaryShare)));
  if (summary !== null) draft.tokens -= options.scale.message(summary.message);
  const folded = foldOldest(draft, goal, wanted);
  const replaced = folded.length + (summary?.replaced ?? 0);
  const least = replaced === 0 ? 0 : options.scale.message(summaryMessage({ summary: emptySummary, replaced }));
  if (draft.tokens + least > most) shortenKept(draft, goal - Math.min(wanted, goal));
  if (draft.tokens > most) throw cannotShrink(history, options, draft, most);
  const limit = draft.tokens + least <= goal ? goal : most;
  const free = limit - draft.tokens;
  return { draft, folded, replaced, room: free < least ? 0 : Math.max(least, Math.min(wanted, free)) };
}

function cannotShrink(
  history: History,
  { scale, tools }: CompactionDraftOptions,
  draft: CompactionDraft,
  target: number,
): ContextError {
  const { system, volatile, open } = history;
  const sum = (test: (unit: CompactionDraft["units"][number]) => boolean) =>
    draft.units.filter(test).reduce((total, unit) => total + unit.tokens, 0);
  const waiting = [...(open?.answers ?? []), ...(open?.waiting ?? [])];
  const parts: Weight[] = [
    { what: "system prompt", tokens: system === null ? 0 : scale.message(system) },
    { what: "tools", tokens: tools },
    { what: "first message", tokens: sum((unit) => unit.place === "first" && !unit.pinned) },
    { what: "pinned messages", tokens: sum((unit) => unit.pinned) },
    { what: "last messages", tokens: sum((unit) => unit.place === "last" && !unit.pinned) },
    { what: "open calls", tokens: waiting.reduce((total, { message }) => total + scale.message(message), 0) },
    { what: "volatile text", tokens: volatile === null ? 0 : scale.message(volatile) },
  ].filter(({ tokens }) => tokens > 0);
  return new ContextError("cannot-shrink", { target, least: draft.tokens, parts });
}
