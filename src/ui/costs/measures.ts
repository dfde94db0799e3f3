import type { Spent } from "../../serve/contract/contract.ts";
import { count, dollars, minutes, whole } from "../parts/format.ts";

export type Measure = "cost" | "tokens" | "minutes" | "runs";

interface MeasureFacts {
  readonly name: string;
  readonly text: (value: number) => string;
}

export const measures: Readonly<Record<Measure, MeasureFacts>> = {
  cost: { name: "Cost", text: dollars },
  tokens: { name: "Tokens", text: count },
  minutes: { name: "Time", text: minutes },
  runs: { name: "Runs", text: whole },
};

export function isMeasure(word: string | null): word is Measure {
  return word !== null && Object.hasOwn(measures, word);
}

export function total(rows: readonly Spent[], measure: Measure): number {
  return rows.reduce((sum, row) => sum + row[measure], 0);
}

const dayMs = 86_400_000;

/** Every day up to the last one, also those on which nothing happened: a plot without them would lie about time. */
export function everyDay(rows: readonly Spent[], days: number, now: number): readonly Spent[] {
  const known = new Map(rows.map((row) => [row.name, row]));
  return Array.from({ length: days }, (_, index) => {
    const name = new Date(now - (days - 1 - index) * dayMs).toISOString().slice(0, 10);
    return known.get(name) ?? { name, runs: 0, minutes: 0, tokens: 0, cost: 0 };
  });
}

/** A round number that is not below the largest value: the top of a plot. */
export function niceTop(largest: number): number {
  if (largest <= 0) return 1;
  const unit = 10 ** Math.floor(Math.log10(largest));
  const step = [1, 2, 2.5, 5, 10].find((each) => each * unit >= largest) ?? 10;
  return step * unit;
}
