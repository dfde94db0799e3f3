import * as z from "zod";
import { StartedRun } from "../model/run.ts";
import type { Snapshot } from "./snapshot.ts";

/** A snapshot of this version, every part of it checked; null for anything else. */
export function checkSnapshot(value: unknown): Snapshot | null {
  return Schema.safeParse(value).data ?? null;
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
