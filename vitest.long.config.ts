import { defineConfig } from "vitest/config";
import { everyTier } from "./vitest.config.ts";

/** Kills, races and random cases, in doses that a change can wait for, with new numbers every time. */
export default defineConfig({
  test: {
    ...everyTier,
    include: ["test/**/*.long.test.ts"],
    env: { HOLDFAST_TEST_TIER: "long" },
    testTimeout: 600_000,
  },
});
