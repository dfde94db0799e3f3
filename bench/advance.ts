import { closeSync, fdatasyncSync, openSync, statSync, writeSync } from "node:fs";
import { join } from "node:path";
import { changeRun } from "../src/app/change-run.ts";
import { compose } from "../src/app/compose.ts";
import { journalPath } from "../src/store/file.ts";
import { advance, runIdOf, template } from "./long-run.ts";
import { caller } from "./project.ts";
import { type Aim, median } from "./report.ts";

interface Row {
  readonly size: number;
  readonly raw: number;
  readonly ours: number;
}

/** An acknowledged advance (decided, folded, appended, flushed) beside a bare append and flush of as many bytes. */
export async function measureAdvance(folder: string, sizes: readonly number[]): Promise<Aim[]> {
  const rows: Row[] = [];
  for (const size of sizes) rows.push(await measure(folder, size));
  const first = rows[0];
  const last = rows.at(-1);
  const table = rows.map(({ size, raw, ours }) => [
    size.toLocaleString("en"),
    `${raw.toFixed(1)} µs`,
    `${ours.toFixed(1)} µs`,
    (ours / raw).toFixed(2),
  ]);
  const head = ["events", "raw append and flush", "advance", "ratio"];
  return [
    {
      name: "an acknowledged advance against a raw append and flush of the same bytes",
      rows: [head, ...table],
      value: median(rows.map(({ raw, ours }) => ours / raw)),
      most: 2,
    },
    {
      name: "the same advance: the run of 100,000 events against the run of 10, each beside its raw write",
      rows: [head, ...table.filter((_, index) => index === 0 || index === rows.length - 1)],
      value: first && last ? last.ours / last.raw / (first.ours / first.raw) : Number.NaN,
      most: 1.3,
    },
  ];
}

async function measure(folder: string, size: number): Promise<Row> {
  const deps = compose(folder, caller);
  const runId = runIdOf(size);
  const path = journalPath(join(folder, ".holdfast", "runs"), runId);
  const bare = openSync(join(folder, `raw-${size}`), "a");
  const raw: number[] = [];
  const ours: number[] = [];
  let standing = await deps.journal.load(runId);
  for (let round = 0; round < 600 && standing !== null; round++) {
    const before = statSync(path).size;
    const start = process.hrtime.bigint();
    const changed = await changeRun(deps, standing, template, { command: advance, handOut: true });
    const middle = process.hrtime.bigint();
    if (!changed.ok) throw new Error(changed.refusal.code);
    standing = changed.value.standing;
    const bytes = Buffer.alloc(statSync(path).size - before, "x");
    const beginning = process.hrtime.bigint();
    writeSync(bare, bytes);
    fdatasyncSync(bare);
    raw.push(Number(process.hrtime.bigint() - beginning) / 1_000);
    ours.push(Number(middle - start) / 1_000);
  }
  closeSync(bare);
  // The first rounds warm up the compiler.
  return { size, raw: median(raw.slice(100)), ours: median(ours.slice(100)) };
}
