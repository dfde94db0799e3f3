import { expect, test } from "vitest";
import { storeConformance } from "../../src/store/conformance.ts";
import { createMemoryStore } from "../../src/store/memory-store.ts";
import { expectCaught, liars } from "./liars.ts";

test.each(Object.entries(liars))("the suite catches a store that %s", (_name, lie) =>
  expectCaught(lie, createMemoryStore),
);

test("the suite passes a store that keeps its word", async () => {
  for (const { check } of storeConformance) await check(createMemoryStore());
});

test("the lies are all that is wrong with a liar: an honest one would pass", async () => {
  await expect(expectCaught((honest) => honest, createMemoryStore)).rejects.toThrow();
});
