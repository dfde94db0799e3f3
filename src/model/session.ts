import * as z from "zod";

/** Where a conversation takes place. Nothing in it is a path of the machine. */
export const Environment = z.strictObject({
  /** Null where the project keeps it out. */
  hostname: z.string().nullable(),
  platform: z.string(),
  /** From the project root. */
  cwd: z.string(),
  commit: z.string().nullable(),
  branch: z.string().nullable(),
});
export type Environment = z.infer<typeof Environment>;
