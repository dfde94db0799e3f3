import * as z from "zod";

/** The version of an agent program, as it tells it. */
export const HostVersion = z.string().regex(/^[\w.+-]{1,100}$/);

/** Where a conversation takes place. Contains no absolute path. */
export const Environment = z.strictObject({
  /** Null if the project's settings exclude it. */
  hostname: z.string().nullable(),
  platform: z.string(),
  /** Relative to the project root. */
  cwd: z.string(),
  commit: z.string().nullable(),
  branch: z.string().nullable(),
});
export type Environment = z.infer<typeof Environment>;

/** Where a transcript has been read up to: how many bytes, and the last message that was counted. */
export const TranscriptMark = z.strictObject({ bytes: z.int().nonnegative(), message: z.string().max(200).optional() });
export type TranscriptMark = z.infer<typeof TranscriptMark>;
