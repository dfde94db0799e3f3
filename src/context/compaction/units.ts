import type { History, Item } from "../conversation/history-types.ts";
import { callsOf } from "../conversation/message.ts";
import type { Scale } from "../conversation/scale.ts";

/** Messages that are kept or dropped together: one message, or calls with all their results. */
export interface Unit {
  items: readonly Item[];
  tokens: number;
  /** Whether it must stay: the first message, the last two (extended to whole units), and pinned messages. */
  readonly place: "first" | "middle" | "last";
  readonly pinned: boolean;
}

export function unitsOf({ items }: History, scale: Scale, pins: ReadonlySet<string>): Unit[] {
  const units: Unit[] = [];
  for (let at = 0; at < items.length; ) {
    const size = sizeAt(items, at);
    const own = items.slice(at, at + size);
    const isLast = at + size > items.length - 2;
    units.push({
      items: own,
      tokens: weigh(own, scale),
      place: isLast ? "last" : at === 0 ? "first" : "middle",
      pinned: own.some(({ entry }) => entry.source !== null && pins.has(entry.source)),
    });
    at += size;
  }
  return units;
}

export function weigh(items: readonly Item[], scale: Scale): number {
  return items.reduce((sum, { message }) => sum + scale.message(message), 0);
}

/** Whether compaction may remove it. */
export function mayGo({ place, pinned }: Unit): boolean {
  return place === "middle" && !pinned;
}

function sizeAt(items: readonly Item[], at: number): number {
  const item = items[at];
  const hasResults = items[at + 1]?.message.role === "tool";
  return item !== undefined && hasResults && callsOf(item.message).length > 0 ? 2 : 1;
}
