import { defineConfig } from "vitest/config";

/** The package as users get it: packed, installed into an empty project, and run on every Node that it supports. */
export default defineConfig({
  test: {
    include: ["test/install/**/*.test.ts"],
    globalSetup: "test/install/install.ts",
    testTimeout: 120_000,
    // Packs and installs; the first time it also downloads three versions of Node.
    hookTimeout: 900_000,
  },
});
