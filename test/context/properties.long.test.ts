import fc from "fast-check";
import { expect, test } from "vitest";
import { restoreContext } from "../../src/context/index.ts";
import { cases } from "../dose.ts";
import { actCount, begin, compactTo, expectSound, step, type Walk } from "./walk.ts";

const history = (most: number) => fc.array(fc.nat(actCount * 10_000 - 1), { minLength: 1, maxLength: most });
const seenInAll = new Set<string>();

async function run(walk: Walk, numbers: readonly number[]): Promise<void> {
  for (const number of numbers) await step(walk, number);
  for (const what of walk.seen) seenInAll.add(what);
}

test("whatever happens to a conversation, what would be sent is sound for both providers", async () => {
  await fc.assert(
    fc.asyncProperty(history(22), fc.constantFrom(300, 3_000, 60_000), async (numbers, window) => {
      const walk = begin(window);
      await run(walk, numbers);
      expectSound(walk);
      walk.context.repair();
      expectSound(walk);
      await compactTo(walk, window);
    }),
    cases({ quick: 600, long: 5_000, soak: 60_000 }, 5),
  );
  expect([...seenInAll].toSorted()).toEqual([
    ...["absent", "blank", "call", "cannot-shrink", "cleared", "compact", "dropped", "enter", "feedback", "folded"],
    ...["image", "no-room", "not-needed", "note", "phase", "question", "repair", "reply", "restore", "results"],
    ...["shortened", "test", "usage", "user", "volatile"],
  ]);
});

test("with a summarizer that answers, fails, is empty or says too much, a compaction ends under its target", async () => {
  const line = "word ".repeat(200);
  const summarizers = [
    async () => ({ goal: "go on", done: ["something"] }),
    async () => Promise.reject(new Error("overloaded")),
    () => {
      throw new Error("at once");
    },
    async () => ({}),
    async () => ({ goal: line, done: Array.from({ length: 400 }, () => line) }),
    async () => ({ done: [1] as unknown as string[] }),
    async () => null as unknown as object,
  ];
  await fc.assert(
    fc.asyncProperty(history(22), fc.constantFrom(...summarizers), async (numbers, summarize) => {
      const walk = begin(3_000, { summarize });
      await run(walk, numbers);
      await compactTo(walk, 400);
      await compactTo(walk, 150);
    }),
    cases({ quick: 350, long: 2_500, soak: 20_000 }, 5),
  );
  expect([...seenInAll]).toEqual(expect.arrayContaining(["used", "failed", "empty", "too-long"]));
});

test("a conversation that was saved and restored in the middle goes on as the first one does", async () => {
  await fc.assert(
    fc.asyncProperty(history(18), history(12), async (before, after) => {
      const first = begin(3_000);
      await run(first, before);
      const text = first.context.save();
      const second = {
        ...first,
        pinned: [...first.pinned],
        context: restoreContext(text, { ...first.options, outstanding: "keep" }),
      };
      await run(first, after);
      await run(second, after);
      expect(second.context.save()).toBe(first.context.save());
      expect(second.context.conversation()).toEqual(first.context.conversation());
      expect(second.context.tokens()).toBe(first.context.tokens());
    }),
    cases({ quick: 60, long: 2_500, soak: 20_000 }),
  );
});

test("restored at every single point, it is the same at the end", async () => {
  await fc.assert(
    fc.asyncProperty(history(20), async (numbers) => {
      const first = begin(3_000);
      const second = begin(3_000);
      for (const number of numbers) {
        await step(first, number);
        second.context = restoreContext(second.context.save(), { ...second.options, outstanding: "keep" });
        await step(second, number);
      }
      expect(second.context.save()).toBe(first.context.save());
      expect(second.context.conversation()).toEqual(first.context.conversation());
    }),
    cases({ quick: 20, long: 300, soak: 5_000 }),
  );
});
