import { closeSync, fdatasyncSync, openSync, readFileSync, writeSync } from "node:fs";
import { join } from "node:path";
import { compose } from "../src/app/compose.ts";
import { changeRun } from "../src/app/runs/change-run.ts";
import { decide } from "../src/engine/commands/decide.ts";
import type { Standing } from "../src/journal/run-journal.ts";
import { journalPath } from "../src/store/journal-file.ts";
import { advance, runIdOf, template } from "./long-run.ts";
import { caller } from "./project.ts";
import { type Aim, median } from "./report.ts";

interface Row {
  readonly size: number;
  readonly raw: number;
  readonly bare: number;
  readonly whole: number;
}

/**
 * An acknowledged advance beside a raw append and flush of as many bytes: the engine with the durable append, and
 * the whole way through the app, which also hands the next visit out, keeps the snapshot and answers conflicts.
 */
export async function measureAdvance(folder: string, sizes: readonly number[]): Promise<Aim[]> {
  const lanes = await Promise.all(sizes.map((size) => openLane(folder, size)));
  for (let round = 0; round < rounds; round++) for (const lane of lanes) await lane.measure();
  const rows = lanes.map((lane) => lane.close());
  const first = rows[0];
  const last = rows.at(-1);
  const micros = (value: number) => `${value.toFixed(1)} µs`;
  const ratio = (value: number, { raw }: Row) => (value / raw).toFixed(2);
  const head = ["events", "raw append and flush", "engine and append", "ratio", "through the app", "ratio"];
  const table = rows.map((row) => [
    row.size.toLocaleString("en"),
    ...[micros(row.raw), micros(row.bare), ratio(row.bare, row), micros(row.whole), ratio(row.whole, row)],
  ]);
  return [
    {
      name: "an acknowledged advance against a raw append and flush of the same bytes",
      rows: [head, ...table],
      value: median(rows.map(({ raw, bare }) => bare / raw)),
      most: 2,
    },
    {
      name: "the same advance: the run of 100,000 events against the run of 10, each beside its raw write",
      rows: [head, ...table.filter((_, index) => index === 0 || index === rows.length - 1)],
      value: first && last ? last.whole / last.raw / (first.whole / first.raw) : Number.NaN,
      most: 1.3,
    },
  ];
}

const rounds = 900;
/** The first rounds warm up the compiler. */
const warmUp = 300;

interface Lane {
  measure(): Promise<void>;
  close(): Row;
}

async function openLane(folder: string, size: number): Promise<Lane> {
  const deps = compose(folder, caller);
  const runId = runIdOf(size);
  const path = journalPath(join(folder, ".holdfast", "runs"), runId);
  const file = openSync(join(folder, `raw-${size}`), "a");
  const times = { raw: [] as number[], bare: [] as number[], whole: [] as number[] };
  const bytes = Buffer.alloc(lineLength(path), "x");

  const steps = {
    raw: async () => {
      writeSync(file, bytes);
      fdatasyncSync(file);
    },
    bare: async (standing: Standing) => {
      const decision = decide(template, standing.run, advance, deps.now());
      if (!decision.ok) throw new Error(decision.refusal.code);
      await deps.store.append(runId, standing.version, decision.events);
    },
    whole: async (standing: Standing) => {
      const changed = await changeRun(deps, standing, template, { command: advance, handOut: true });
      if (!changed.ok) throw new Error(changed.refusal.code);
    },
  };
  return {
    async measure() {
      for (const name of ["raw", "bare", "whole"] as const) {
        const standing = await deps.journal.load(runId);
        if (standing === null) throw new Error(`${runId} is not there`);
        const start = process.hrtime.bigint();
        await steps[name](standing);
        times[name].push(Number(process.hrtime.bigint() - start) / 1_000);
      }
    },
    close() {
      closeSync(file);
      const of = (name: keyof typeof times) => median(times[name].slice(warmUp));
      return { size, raw: of("raw"), bare: of("bare"), whole: of("whole") };
    },
  };
}

/** As long as the lines that are really written. */
function lineLength(path: string): number {
  const lines = readFileSync(path, "utf8").trimEnd().split("\n");
  return (lines.at(-1)?.length ?? 0) + 1;
}
