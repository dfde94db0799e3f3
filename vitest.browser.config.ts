import { defineConfig } from "vitest/config";
import { patience } from "./vitest.config.ts";

/** The dashboard as people use it: the built program serves it, and a real browser shows it. */
export default defineConfig({
  test: {
    include: ["test/browser/**/*.test.ts"],
    globalSetup: [
      ...["test/browser/support/chromium.ts", "test/temporary.ts", "test/empty-home.ts"],
      ...["test/bundle.ts", "test/browser/support/build.ts"],
    ],
    pool: "forks",
    isolate: false,
    // A browser and a server beside each of them: more would wait for each other.
    maxWorkers: 2,
    testTimeout: 60_000,
    hookTimeout: 120_000,
    expect: patience,
  },
});
