import { mkdtempSync, symlinkSync } from "node:fs";
import { rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { bundleCli } from "../scripts/bundle-cli.ts";
import { bundleHook } from "../scripts/bundle-hook.ts";

/** Builds programs for tests once, outside the work tree, so that nothing is left behind in it. */
export default async function setup(): Promise<() => Promise<void>> {
  const folder = mkdtempSync(join(tmpdir(), "holdfast-bundle-"));
  for (const name of ["workflows", "package.json", "node_modules"]) symlinkSync(resolve(name), join(folder, name));
  await bundleCli(join(folder, "dist/bin/holdfast.js"));
  await bundleHook(join(folder, "dist/bin/hook.cjs"));
  process.env.HOLDFAST_TEST_CLI = join(folder, "dist/bin/holdfast.js");
  return () => rm(folder, { recursive: true, force: true });
}
