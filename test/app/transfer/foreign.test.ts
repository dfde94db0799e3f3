import { expect, test } from "vitest";
import { foreignEvents } from "../../../src/app/transfer/foreign.ts";
import type { RunEvent } from "../../../src/model/event.ts";

const at = (minute: number) => new Date(Date.UTC(2026, 0, 1, 12, minute)).toISOString();

/** A journal: a number stands for an event of that minute, anything else for a receipt. */
function journal(
  ...events: readonly (number | { readonly minute: number; readonly after: number; readonly machine?: string })[]
): RunEvent[] {
  return events.map((each, place) => {
    const seq = place + 1;
    if (typeof each === "number") return { seq, at: at(each), type: "summary-set", summary: "Done" };
    const { minute, after, machine = "here" } = each;
    return { seq, at: at(minute), type: "run-received", from: "there", machine, worktree: "main", after };
  });
}

test("what a receipt of this machine brought came from another one", () => {
  const events = journal(1, 2, 3, 4, { minute: 5, after: 2 }, 6, 7, { minute: 8, after: 6 }, 9);
  expect(foreignEvents(events, "here")).toEqual({ foreign: [3, 4, 7], ahead: [] });
});

test("what another machine received came from there only if this one received it, too", () => {
  const theirs = [1, 2, { minute: 3, after: 1, machine: "there" }, 4, 5];
  expect(foreignEvents(journal(...theirs), "here").foreign).toEqual([]);
  expect(foreignEvents(journal(...theirs, { minute: 6, after: 2 }), "here").foreign).toEqual([3, 4, 5]);
});

test("an event that was in the future when it was received is not trusted with its time", () => {
  const events = journal(1, 9, 2, { minute: 5, after: 1 }, 8);
  expect(foreignEvents(events, "here")).toEqual({ foreign: [2, 3], ahead: [2] });
});

test("a receipt within what another one brought is one of the events that came with it", () => {
  const events = journal(1, { minute: 2, after: 0 }, 3, { minute: 4, after: 1 });
  expect(foreignEvents(events, "here").foreign).toEqual([1, 2, 3]);
});

test("many receipts for all that came before them are read once", () => {
  const receipts = Array.from({ length: 50_000 }, () => ({ minute: 5, after: 0 }));
  expect(foreignEvents(journal(1, ...receipts), "here").foreign).toHaveLength(50_000);
});
