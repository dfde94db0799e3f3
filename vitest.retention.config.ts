import { availableParallelism } from "node:os";
import { defineConfig } from "vitest/config";

// Not a test of code but a measurement of what reaches a model, with the same harness as the live sessions.
export default defineConfig({
  test: {
    include: ["bench/retention.ts", "bench/retention-hosts.ts"],
    globalSetup: ["test/temporary.ts", "test/bundle.ts", "test/clients/install.ts"],
    // By default, one core is left free.
    maxWorkers: availableParallelism(),
    testTimeout: 1_800_000,
    hookTimeout: 180_000,
  },
});
