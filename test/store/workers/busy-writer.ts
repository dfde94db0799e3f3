import { createCheckedJournal } from "../../../src/journal/checked-journal.ts";
import { createFileStore } from "../../../src/store/file-store.ts";
import { createRunFiles } from "../../../src/store/run-files.ts";

// Appends to the run without a pause, and prints each version once it was acknowledged.
const [root = "", run = ""] = process.argv.slice(2);
const journal = createCheckedJournal(createFileStore(root), createRunFiles(root));
// A long line takes the system long enough to write that a kill can cut it off.
const long = "x".repeat(400_000);

process.stdout.write("ready\n");
// If the test itself is killed, nobody is left to stop this.
const parent = process.ppid;
for (let standing = await journal.load(run); standing !== null && process.ppid === parent; ) {
  const seq = standing.run.seq + 1;
  const summary = `${seq} ${seq % 8 === 0 ? long : "short"}`;
  standing = await journal.append(run, standing, [
    { seq, at: "2026-01-01T00:00:00.000Z", type: "summary-set", summary },
  ]);
  process.stdout.write(`${standing.version}\n`);
}
