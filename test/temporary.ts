import { chmodSync, mkdtempSync } from "node:fs";
import { rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

/** One folder for everything that tests leave in temporary folders, removed with all of them at the end. */
export default function setup(): () => Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), "holdfast-tests-"));
  // Some tests act as a user who owns nothing here.
  chmodSync(folder, 0o755);
  process.env.TMPDIR = folder;
  return () => rm(folder, { recursive: true, force: true, maxRetries: 5 });
}
