import type { History, Item } from "../conversation/history-types.ts";
import type { Compacted } from "../conversation/record.ts";
import type { Scale } from "../conversation/scale.ts";
import { rawTokens } from "../conversation/view.ts";
import { type Unit, unitsOf, weigh } from "./units.ts";

/** One step of a compaction. */
export interface Stage {
  readonly type: "cleared" | "dropped" | "folded" | "shortened";
  /** The number of outputs or messages. */
  readonly count: number;
  readonly freed: number;
}

/** A compaction that is being planned. The history itself is not changed. */
export interface CompactionDraft {
  readonly scale: Scale;
  units: Unit[];
  /** The total after the compaction; counts the old summary until it is replaced. */
  tokens: number;
  readonly cleared: string[];
  readonly gone: Item[];
  readonly limits: Map<number, number>;
  readonly stages: Stage[];
}

export interface CompactionDraftOptions {
  readonly scale: Scale;
  readonly pins: ReadonlySet<string>;
  /** The tokens of the tool schemas. */
  readonly tools: number;
}

export function createCompactionDraft(
  history: History,
  { scale, pins, tools }: CompactionDraftOptions,
): CompactionDraft {
  return {
    scale,
    units: unitsOf(history, scale, pins),
    tokens: rawTokens(history, scale, tools),
    cleared: [],
    gone: [],
    limits: new Map(),
    stages: [],
  };
}

export function replaceItems(draft: CompactionDraft, unit: Unit, items: readonly Item[]): void {
  const tokens = weigh(items, draft.scale);
  draft.tokens += tokens - unit.tokens;
  unit.items = items;
  unit.tokens = tokens;
}

export function dropUnits(draft: CompactionDraft, dropped: ReadonlySet<Unit>): void {
  for (const unit of dropped) {
    draft.tokens -= unit.tokens;
    draft.gone.push(...unit.items);
  }
  draft.units = draft.units.filter((unit) => !dropped.has(unit));
}

export function recordStage(draft: CompactionDraft, type: Stage["type"], count: number, before: number): void {
  if (count > 0) draft.stages.push({ type, count, freed: before - draft.tokens });
}

/** The record of a draft. */
export function changesOf(draft: CompactionDraft): Pick<Compacted, "cleared" | "dropped" | "shortened"> {
  const kept = draft.units.flatMap((unit) => unit.items.map((item) => item.entry.id));
  const gone = draft.gone.map((item) => item.entry.id);
  const left = new Set(kept);
  return {
    cleared: draft.cleared,
    dropped: ranges(
      [...kept, ...gone].toSorted((a, b) => a - b),
      (id) => !left.has(id),
    ),
    shortened: [...draft.limits].map(([id, limit]) => ({ id, limit })),
  };
}

function ranges(ids: readonly number[], belongs: (id: number) => boolean): [number, number][] {
  const found: [number, number][] = [];
  let open: [number, number] | null = null;
  for (const id of ids) {
    if (!belongs(id)) {
      open = null;
    } else if (open === null) {
      open = [id, id];
      found.push(open);
    } else {
      open[1] = id;
    }
  }
  return found;
}
