import * as z from "zod";
import { Name, SessionId } from "./ids.ts";

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

/** What was loaded last, and how often. An epoch is the part of a session between two compactions. */
export const Priming = z.strictObject({
  reloads: z.int().nonnegative(),
  lastAt: z.iso.datetime().nullable(),
  epoch: z.strictObject({ session: SessionId, compactions: z.int().nonnegative() }).nullable(),
  /** In this epoch. */
  loaded: z.array(LoadedRecord.extend({ at: z.iso.datetime() })).readonly(),
});
export type Priming = z.infer<typeof Priming>;
