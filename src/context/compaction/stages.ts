import type { Item } from "../conversation/history-types.ts";
import { outputText, resultsOf } from "../conversation/message.ts";
import { callKeys } from "../conversation/scale.ts";
import { clearOutputs, shortenMessage } from "../conversation/shrink.ts";
import { type CompactionDraft, dropUnits, recordStage, replaceItems } from "./compaction-draft.ts";
import { mayGo, type Unit } from "./units.ts";

/** A shorter output is hardly longer than the pointer that would replace it. */
const shortOutput = 240;
/** The minimum that is kept of a shortened text. */
const shortestCut = 40;

/** Replaces old tool outputs with pointers, oldest first. */
export function clearOldOutputs(draft: CompactionDraft, goal: number): void {
  const before = draft.tokens;
  const already = draft.cleared.length;
  for (const unit of draft.units.filter(mayGo)) {
    if (draft.tokens <= goal) break;
    const long = unit.items.flatMap(({ message }) =>
      resultsOf(message)
        .filter(isLong)
        .map((part) => part.toolCallId),
    );
    if (long.length === 0) continue;
    const calls = new Set(long);
    replaceItems(
      draft,
      unit,
      unit.items.map((item) => ({ ...item, message: clearOutputs(item.message, calls) })),
    );
    draft.cleared.push(...long);
  }
  recordStage(draft, "cleared", draft.cleared.length - already, before);
}

function isLong({ output }: ReturnType<typeof resultsOf>[number]): boolean {
  return output.type === "content" ? output.value.length > 0 : outputText(output).length > shortOutput;
}

/** Drops what was superseded by a later message on the same topic or by a repeated call. */
export function dropSuperseded(draft: CompactionDraft, goal: number): void {
  if (draft.tokens <= goal) return;
  const before = draft.tokens;
  const dropped = new Set<Unit>();
  let left = draft.tokens;
  for (const unit of superseded(draft.units)) {
    if (left <= goal) break;
    dropped.add(unit);
    left -= unit.tokens;
  }
  dropUnits(draft, dropped);
  recordStage(draft, "dropped", countItems(dropped), before);
}

function superseded(units: readonly Unit[]): Unit[] {
  const seen = new Set<string>();
  const found: Unit[] = [];
  for (const unit of units.toReversed()) {
    const keys = keysOf(unit.items);
    if (mayGo(unit) && keys.length > 0 && keys.every((key) => seen.has(key))) found.push(unit);
    for (const key of keys) seen.add(key);
  }
  return found.toReversed();
}

function keysOf(items: readonly Item[]): string[] {
  return items.flatMap(({ entry }) => (entry.topic === null ? callKeys(entry.message) : [`topic ${entry.topic}`]));
}

/** Drops the oldest messages until the rest, with a summary of `room` tokens, meets the goal. */
export function foldOldest(draft: CompactionDraft, goal: number, room: number): Item[] {
  const before = draft.tokens;
  const folded = new Set<Unit>();
  let left = draft.tokens;
  for (const unit of draft.units.filter(mayGo)) {
    if (left + room <= goal) break;
    folded.add(unit);
    left -= unit.tokens;
  }
  dropUnits(draft, folded);
  recordStage(draft, "folded", countItems(folded), before);
  return [...folded].flatMap((unit) => unit.items);
}

/**
 * The last resort: shortens the long texts of the remaining messages to head and tail, all to the same length. Always
 * starts from the full text, so that a second cut still tells the right amount that is missing.
 */
export function shortenKept(draft: CompactionDraft, goal: number): void {
  const before = draft.tokens;
  const whole = draft.units.filter((unit) => !unit.pinned).map((unit) => ({ unit, items: unit.items }));
  const longest = Math.max(0, ...whole.map(({ items }) => Math.max(...items.map(lengthOf))));
  for (let limit = longest >> 1; draft.tokens > goal && limit >= shortestCut; limit >>= 1) {
    for (const { unit, items } of whole)
      replaceItems(
        draft,
        unit,
        items.map((item) => shortened(draft, item, limit)),
      );
  }
  recordStage(draft, "shortened", draft.limits.size, before);
}

function shortened(draft: CompactionDraft, item: Item, limit: number): Item {
  const message = shortenMessage(item.entry.message, limit, item.entry.id);
  if (draft.scale.message(message) >= draft.scale.message(item.message)) return item;
  draft.limits.set(item.entry.id, limit);
  return { ...item, message };
}

function lengthOf({ message }: Item): number {
  return typeof message.content === "string" ? message.content.length : JSON.stringify(message.content).length;
}

function countItems(units: ReadonlySet<Unit>): number {
  return [...units].reduce((sum, unit) => sum + unit.items.length, 0);
}
