import { defineConfig } from "vitest/config";
import { everyTier } from "./vitest.config.ts";

/** The store in PostgreSQL, against a real server. */
export default defineConfig({
  test: {
    ...everyTier,
    include: ["test/postgres/**/*.test.ts"],
    exclude: [],
    globalSetup: [
      "test/memory.ts",
      "test/temporary.ts",
      "test/empty-home.ts",
      "test/bundle.ts",
      "test/postgres/server.ts",
    ],
    testTimeout: 600_000,
  },
});
