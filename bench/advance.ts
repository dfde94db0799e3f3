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
  const lanes = await Promise.all(sizes.map((size) => openLane(folder, size)));
  for (let round = 0; round < rounds; round++) for (const lane of lanes) await lane.measure(round);
  const rows = lanes.map((lane) => lane.close());
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

const rounds = 1_500;
/** The first rounds warm up the compiler. */
const warmUp = 500;

interface Lane {
  measure(round: number): Promise<void>;
  close(): Row;
}

async function openLane(folder: string, size: number): Promise<Lane> {
  const deps = compose(folder, caller);
  const runId = runIdOf(size);
  const path = journalPath(join(folder, ".holdfast", "runs"), runId);
  const bare = openSync(join(folder, `raw-${size}`), "a");
  const raw: number[] = [];
  const ours: number[] = [];
  let standing = await deps.journal.load(runId);
  let bytes = Buffer.alloc(1_000, "x");

  async function advanceOnce(): Promise<void> {
    if (standing === null) throw new Error(`${runId} is not there`);
    const before = statSync(path).size;
    const start = process.hrtime.bigint();
    const changed = await changeRun(deps, standing, template, { command: advance, handOut: true });
    ours.push(Number(process.hrtime.bigint() - start) / 1_000);
    if (!changed.ok) throw new Error(changed.refusal.code);
    standing = changed.value.standing;
    bytes = Buffer.alloc(statSync(path).size - before, "x");
  }

  function writeOnce(): void {
    const start = process.hrtime.bigint();
    writeSync(bare, bytes);
    fdatasyncSync(bare);
    raw.push(Number(process.hrtime.bigint() - start) / 1_000);
  }

  return {
    async measure(round) {
      // A flush right behind another is cheaper than one after a pause, so they take turns in going first.
      if (round % 2 === 0) writeOnce();
      await advanceOnce();
      if (round % 2 === 1) writeOnce();
    },
    close() {
      closeSync(bare);
      return { size, raw: median(raw.slice(warmUp)), ours: median(ours.slice(warmUp)) };
    },
  };
}
