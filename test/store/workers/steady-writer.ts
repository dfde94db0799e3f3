import { createInterface } from "node:readline";
import { isHoldfastError } from "../../../src/errors.ts";
import { createCheckedJournal } from "../../../src/journal/checked-journal.ts";
import { createFileStore } from "../../../src/store/file-store.ts";
import { createRunFiles } from "../../../src/store/run-files.ts";

// Appends each line that it is sent to the run, whatever becomes of the journal, and prints it when it is acknowledged.
const [root = "", run = ""] = process.argv.slice(2);
const journal = createCheckedJournal(createFileStore(root), createRunFiles(root));

process.stdout.write("ready\n");
for await (const summary of createInterface({ input: process.stdin })) {
  while (!(await append(summary)));
  process.stdout.write(`${summary}\n`);
}

async function append(summary: string): Promise<boolean> {
  const standing = await journal.load(run);
  if (standing === null) throw new Error("the run is gone");
  const seq = standing.run.seq + 1;
  try {
    await journal.append(run, standing, [{ seq, at: "2026-01-01T00:00:00.000Z", type: "summary-set", summary }]);
    return true;
  } catch (error) {
    if (!isHoldfastError(error, "version-conflict")) throw error;
    return false;
  }
}
