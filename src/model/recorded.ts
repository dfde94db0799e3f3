import * as z from "zod";
import { Name } from "./ids.ts";

/** An artifact that was loaded into a model's context. */
export const LoadedRecord = z.strictObject({
  id: Name,
  trigger: z.string(),
  hash: z.string(),
  bytes: z.int().nonnegative(),
  /** Only a part of it was shown, so loading it by hand brings it again. */
  excerpt: z.literal(true).optional(),
});
export type LoadedRecord = z.infer<typeof LoadedRecord>;

/** The result of one check. `gate` is its index in the step's list. */
export const Evidence = z.strictObject({
  gate: z.int().nonnegative(),
  held: z.boolean(),
  what: z.string(),
  exitCode: z.int().optional(),
  timedOut: z.boolean().optional(),
  durationMs: z.number().nonnegative().optional(),
  tail: z.string().optional(),
  commit: z.string().optional(),
  dirty: z.boolean().optional(),
});
export type Evidence = z.infer<typeof Evidence>;
