import fc from "fast-check";
import { expect, test } from "vitest";
import { type Box, draw } from "../../src/ui/graph/layout.ts";
import { cases } from "../dose.ts";

const size = (id: string) => ({ id, width: 256, height: 66 });
const edge = (from: string, to: string, label: string | null = null) => ({ from, to, label });

test("steps without branches stand in one line below each other", () => {
  const { boxes, ends } = draw(["a", "b", "c"].map(size), [
    edge("a", "b"),
    edge("b", "c"),
    edge("c", "a", "again"),
    edge("c", "complete"),
  ]);
  expect(new Set(boxes.map(({ left }) => left)).size).toBe(1);
  expect(ends.map(({ id }) => id)).toEqual(["complete"]);
});

test("whatever leads where: no step covers another, and none is above one that leads to it", () => {
  const workflow = fc.integer({ min: 1, max: 12 }).chain((count) =>
    fc.record({
      count: fc.constant(count),
      jumps: fc.array(fc.tuple(fc.nat(count - 1), fc.nat(count)), { maxLength: 20 }),
    }),
  );
  fc.assert(
    fc.property(workflow, ({ count, jumps }) => {
      const ids = Array.from({ length: count }, (_, index) => `s${index}`);
      const target = (index: number) => ids[index] ?? "complete";
      const next = ids.map((id, index) => edge(id, target(index + 1)));
      const others = jumps.map(([from, to]) => edge(target(from), target(to), "jump"));
      const { boxes, ends, arrows, width, height } = draw(ids.map(size), [...next, ...others]);
      const all = [...boxes, ...ends];
      const overlaps = all.flatMap((one, index) => all.slice(index + 1).filter((other) => meet(one, other)));
      expect(overlaps).toEqual([]);
      expect(boxes.map(({ top }) => top)).toEqual(boxes.map(({ top }) => top).sort((a, b) => a - b));
      expect(all.every((box) => box.left >= 0 && box.left + box.width <= width && box.top + box.height <= height)).toBe(
        true,
      );
      expect(arrows.every(({ path }) => /^M[\d.]+,[\d.]+ /.test(path))).toBe(true);
    }),
    cases({ quick: 30, long: 300, soak: 3_000 }),
  );
});

function meet(one: Box, other: Box): boolean {
  const isBeside = one.left + one.width <= other.left || other.left + other.width <= one.left;
  return !(isBeside || one.top + one.height <= other.top || other.top + other.height <= one.top);
}
