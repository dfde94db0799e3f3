import type { RunEvent } from "../../model/event.ts";
import { minutesBetween } from "../../model/time.ts";
import { countEvent, countedUntil, type RunCount, type StepReport } from "./count-run.ts";

/** What the steps of a run have taken on each day in UTC, summed up event by event. */
export interface TakenDays {
  readonly days: Map<string, RunCount["steps"]>;
  readonly agents: RunCount["agents"];
  /** The open visits; each since the beginning of the last day, if it was entered before. */
  readonly open: RunCount["open"];
  /** The latest day that an event fell on; empty before the first event. */
  last: string;
}

/** What one step of a run has taken on one day. */
export interface Taken extends Pick<StepReport, "step" | "minutes" | "tokens" | "cost"> {
  readonly day: string;
}

export function beginDays(): TakenDays {
  return { days: new Map(), agents: new Set(), open: new Map(), last: "" };
}

export function addToDays(taken: TakenDays, event: RunEvent): void {
  const day = dayOf(event.at);
  if (taken.last < day) reach(taken, day);
  countEvent(countOn(taken, day), event);
}

/** What was taken up to this moment, which open visits count up to. */
export function takenUntil({ days, agents, open, last }: TakenDays, now: string): readonly Taken[] {
  const today = dayOf(now);
  const copy = { days: new Map(days), agents, open: new Map(open), last };
  if (open.size > 0) {
    if (last < today) reach(copy, today);
    copy.days.set(copy.last, reportsOf(countedUntil(countOn(copy, copy.last), now).steps));
  }
  return [...copy.days].flatMap(([day, steps]) =>
    [...steps.values()].map(({ step, minutes, tokens, cost }) => ({ day, step, minutes, tokens, cost })),
  );
}

function reportsOf(steps: readonly StepReport[]): Map<string, StepReport> {
  return new Map(steps.map((each) => [each.step, each]));
}

/** Nobody asks for days that are longer ago; a journal that spans thousands of years must not be walked day by day. */
const mostDays = 400;

/** Goes on to a later day: open visits count up to each midnight on the way. */
function reach(taken: TakenDays, day: string): void {
  const { open, last } = taken;
  taken.last = day;
  if (open.size === 0) return;
  const [, first = last] = [last, dayAfter(day, -mostDays)].sort();
  for (let each = first; each < day; each = dayAfter(each, 1)) {
    const midnight = `${dayAfter(each, 1)}T00:00:00.000Z`;
    const { steps } = countOn(taken, each);
    const counted = countedUntil({ steps, agents: taken.agents, open: sinceAtLeast(open, each) }, midnight);
    taken.days.set(each, reportsOf(counted.steps));
  }
  for (const [token, visit] of sinceAtLeast(open, day)) open.set(token, visit);
}

/** The open visits, none of them entered before this day. */
function sinceAtLeast(open: RunCount["open"], day: string): RunCount["open"] {
  const midnight = `${day}T00:00:00.000Z`;
  return new Map(
    [...open].map(([token, { step, since }]) => [
      token,
      { step, since: minutesBetween(since, midnight) > 0 ? midnight : since },
    ]),
  );
}

function countOn({ days, agents, open }: TakenDays, day: string): RunCount {
  const steps = days.get(day) ?? new Map<string, StepReport>();
  days.set(day, steps);
  return { steps, agents, open };
}

export function dayOf(time: string): string {
  return time.slice(0, "2026-01-31".length);
}

export function dayAfter(day: string, days: number): string {
  return dayOf(new Date(Date.parse(`${day}T00:00:00Z`) + days * 86_400_000).toISOString());
}
