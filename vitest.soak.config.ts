import { defineConfig } from "vitest/config";
import { everyTier } from "./vitest.config.ts";

/** The same as the long tier, as often as a release is worth: `npm run soak`. */
export default defineConfig({
  test: {
    ...everyTier,
    include: ["test/**/*.long.test.ts", "test/postgres/{killed-commands,processes}.test.ts"],
    exclude: everyTier.exclude?.filter((folder) => !folder.includes("postgres")) ?? [],
    globalSetup: [...(everyTier.globalSetup ?? []), "test/postgres/server.ts"],
    env: { HOLDFAST_TEST_TIER: "soak" },
    testTimeout: 3_600_000,
  },
});
