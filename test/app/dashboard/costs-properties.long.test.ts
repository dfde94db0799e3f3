import fc from "fast-check";
import { expect, test } from "vitest";
import { beginCount, countEvent, countedUntil } from "../../../src/app/digest/count-run.ts";
import { addToDays, beginDays, takenUntil } from "../../../src/app/digest/taken-days.ts";
import { cases } from "../../dose.ts";
import { day, sumOf } from "./costly.ts";
import { randomRun } from "./random-run.ts";

test("the days of any run add up to its report", () => {
  fc.assert(
    fc.property(randomRun, fc.nat({ max: 3 * day }), ({ commits }, wait) => {
      const [days, count] = [beginDays(), beginCount()];
      let last = "";
      for (const event of commits.flat()) {
        addToDays(days, event);
        countEvent(count, event);
        last = event.at;
      }
      const now = new Date(Date.parse(last) + wait * 60_000).toISOString();
      const { total } = countedUntil(count, now);
      const sums = sumOf(takenUntil(days, now).map((each) => ({ ...each, name: each.day, runs: 0 })));
      expect(sums.minutes).toBeCloseTo(total.minutes, 6);
      expect(sums.tokens).toBe(total.tokens);
      expect(sums.cost).toBeCloseTo(total.cost, 6);
    }),
    cases({ quick: 50, long: 500, soak: 5_000 }),
  );
});
