import { appendFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { createFileStore } from "../../src/store/file-store.ts";
import { journalPath } from "../../src/store/journal-file.ts";
import { writeLine } from "../../src/store/journal-line.ts";
import { readAll } from "../../src/store/store.ts";
import { makeFolder, noted, run } from "./project.ts";

/** What writers left that died one after the other, before each had written more than this of its line. */
test.each([["{"], ["{{"], ['{"for{"fo'], ['{"format":1,"ver{{"f{'], ['{{"format":1,"version":2,"size":900,"prev{']])(
  "a commit right behind %j counts",
  async (left) => {
    const { folder, remove } = makeFolder();
    try {
      const root = join(folder, "runs");
      const first = await createFileStore(root).append(run, 0, [noted(1, "first")]);
      const second = writeLine({ version: 2, prev: first.id, writer: "next", events: [noted(2, "second")] });
      appendFileSync(journalPath(root, run), Buffer.concat([Buffer.from(left), second.bytes.subarray(0, -1)]));
      const history = await readAll(createFileStore(root).read(run));
      expect(history.map(({ version, id }) => ({ version, id }))).toEqual([
        { version: 1, id: first.id },
        { version: 2, id: second.hash },
      ]);
    } finally {
      remove();
    }
  },
);
