import * as z from "zod";
import { StartedRun } from "../model/run.ts";
import type { RunTexts } from "../store/run-texts.ts";
import type { Store } from "../store/store.ts";
import { createJournal, type RunJournal } from "./run-journal.ts";
import type { Snapshot } from "./snapshot.ts";

/** Runs as commands and servers see them: what is read is checked, and a forged snapshot of a short journal is found out. */
export function createCheckedJournal(store: Store, files: RunTexts): RunJournal {
  return createJournal(store, files, { check: checkedSnapshot, shortJournal: 256 });
}

const Ref = z.strictObject({ version: z.int().positive(), place: z.int().nonnegative() });

const Schema = z.strictObject({
  format: z.literal(1),
  ended: z.boolean().optional(),
  version: z.int().positive(),
  head: z.string(),
  place: z.int().nonnegative(),
  repair: z.string(),
  outputs: z.record(z.string(), Ref),
  tasks: z.record(z.string(), Ref),
  left: z.array(z.string()),
  run: StartedRun,
});

/** A snapshot of this version, every part of it checked. */
function checkedSnapshot(value: unknown): Snapshot | null {
  return Schema.safeParse(value).data ?? null;
}
