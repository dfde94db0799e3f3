import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createFileStore } from "../../src/store/file-store.ts";
import { describeStore } from "./describe-store.ts";

describeStore("file store", async () => {
  const root = await mkdtemp(join(tmpdir(), "holdfast-store-"));
  return { store: createFileStore(root), dispose: () => rm(root, { recursive: true }) };
});
