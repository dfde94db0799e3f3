import type { History, Item } from "../conversation/history-types.ts";
import { callsOf } from "../conversation/message.ts";
import type { Scale } from "../conversation/scale.ts";

/** What is kept or dropped as one: a message, or calls with all their results. */
export interface Unit {
  items: readonly Item[];
  tokens: number;
  /** The first message and the last two (widened to whole units) stay; so does what is pinned. */
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

/** Compaction may take it away. */
export function mayGo({ place, pinned }: Unit): boolean {
  return place === "middle" && !pinned;
}

function sizeAt(items: readonly Item[], at: number): number {
  const item = items[at];
  const hasResults = items[at + 1]?.message.role === "tool";
  return item !== undefined && hasResults && callsOf(item.message).length > 0 ? 2 : 1;
}
