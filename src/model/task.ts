import * as z from "zod";

const oneLine = (limit: number) =>
  z
    .string()
    .max(limit)
    .refine((text) => text.trim() !== "" && !/\p{Cc}/u.test(text));

/** A task of a loop as it was set. Its status is kept separately. */
export const Task = z.strictObject({
  id: oneLine(100),
  title: oneLine(500),
  description: z.string().max(20_000).optional(),
  /** Ids of other tasks. It is kept for the program that set it; the order of the list counts. */
  depends_on: z.array(oneLine(100)).max(1_000).optional(),
});
export type Task = z.infer<typeof Task>;

/** A task in the journal. Its content was checked when it was set, so that long lists load fast. */
export const RecordedTask = z.strictObject({
  id: z.string(),
  title: z.string(),
  description: z.string().optional(),
  depends_on: z.array(z.string()).optional(),
});

export type TaskStatus = "pending" | "in_progress" | "done" | "failed";
