import { availableParallelism } from "node:os";
import { defineConfig } from "vitest/config";
import { patience } from "./vitest.config.ts";

export default defineConfig({
  test: {
    include: ["test/clients/**/*.test.ts"],
    globalSetup: ["test/temporary.ts", "test/bundle.ts", "test/clients/install.ts"],
    // By default, one core is left free.
    maxWorkers: availableParallelism(),
    // Real programs on a busy machine take their time; nothing waits without an end.
    testTimeout: 180_000,
    hookTimeout: 180_000,
    expect: patience,
  },
});
