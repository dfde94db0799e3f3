import * as z from "zod";

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
