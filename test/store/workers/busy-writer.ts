import { createCheckedJournal } from "../../../src/journal/checked-journal.ts";
import type { RunEvent } from "../../../src/model/event.ts";
import { createFileStore } from "../../../src/store/file-store.ts";
import { createRunFiles } from "../../../src/store/run-files.ts";

// Appends to the run without a pause, and prints each version once it was acknowledged.
const [root = "", run = "", size = "mixed"] = process.argv.slice(2);
const journal = createCheckedJournal(createFileStore(root), createRunFiles(root));
// A long line takes the system long enough to write that a kill can cut it off.
const long = "x".repeat(400_000);

/** Such values look like the opening of a line wherever the commit is cut off. */
const objects = Array.from({ length: 1_000 }, (_, n) => ({ format: n % 3, version: n, size: n * 100, prev: "" }));

function next(seq: number): RunEvent {
  const at = "2026-01-01T00:00:00.000Z";
  if (size === "large") {
    const edits = { required_reading: [], key_reminders: [], context: { seq, objects, long }, other: {} };
    return { seq, at, type: "card-edited", edits };
  }
  return { seq, at, type: "summary-set", summary: `${seq} ${seq % 8 === 0 ? long : "short"}` };
}

process.stdout.write("ready\n");
// If the test itself is killed, nobody is left to stop this.
const parent = process.ppid;
// Large commits fill a disk before a busy machine comes to the kill.
let left = size === "large" ? 8 : Number.POSITIVE_INFINITY;
for (let standing = await journal.load(run); standing !== null && process.ppid === parent && left > 0; left--) {
  const seq = standing.run.seq + 1;
  standing = await journal.append(run, standing, [next(seq)]);
  // What the system has not taken is lost with the process, and would look like a commit that nobody was told of.
  await new Promise((taken) => process.stdout.write(`${standing?.version}\n`, taken));
}
setInterval(() => process.ppid === parent || process.exit(), 1_000);
