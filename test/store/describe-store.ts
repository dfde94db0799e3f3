import { afterEach, beforeEach, describe, test } from "vitest";
import { storeConformance } from "../../src/store/conformance.ts";
import type { Store } from "../../src/store/store.ts";

interface StoreUnderTest {
  readonly store: Store;
  dispose?(): Promise<void>;
}

export function describeStore(name: string, open: () => Promise<StoreUnderTest>): void {
  describe(name, () => {
    let current: StoreUnderTest;
    beforeEach(async () => {
      current = await open();
    });
    afterEach(async () => {
      await current.store.close();
      await current.dispose?.();
    });
    test.each(storeConformance)("$name", ({ check }) => check(current.store));
  });
}
