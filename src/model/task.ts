import * as z from "zod";

const oneLine = (limit: number) =>
  z
    .string()
    .max(limit)
    .refine((text) => text.trim() !== "" && !/\p{Cc}/u.test(text));

/** One item that a loop goes over, as it was set. Where it stands is kept beside the list, not in it. */
export const Task = z.strictObject({
  id: oneLine(100),
  title: oneLine(500),
  description: z.string().max(20_000).optional(),
});
export type Task = z.infer<typeof Task>;

/** A task as the journal has it. Its content was checked when it was set; a long list is read again at every start. */
export const RecordedTask = z.strictObject({ id: z.string(), title: z.string(), description: z.string().optional() });

export type TaskStatus = "pending" | "in_progress" | "done" | "failed";
