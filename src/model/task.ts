import * as z from "zod";

const oneLine = (limit: number) =>
  z
    .string()
    .max(limit)
    .refine((text) => text.trim() !== "" && !/\p{Cc}/u.test(text));

/** Made only where tasks are set, so that other commands start faster. */
const makeTask = () =>
  z.strictObject({
    id: oneLine(100),
    title: oneLine(500),
    description: z.string().max(20_000).optional(),
    /** Ids of other tasks of the loop, which must be done before this one begins. */
    depends_on: z.array(oneLine(100)).max(1_000).optional(),
  });
/** A task of a loop as it was set. Its status is kept separately. */
export type Task = z.infer<ReturnType<typeof makeTask>>;

/** The first of the tasks that cannot be set, and why; null if all can. */
export function taskProblem(tasks: readonly unknown[]): { readonly index: number; readonly problem: string } | null {
  const seen = new Set<string>();
  const Task = makeTask();
  for (const [index, task] of tasks.entries()) {
    const { data, error } = Task.safeParse(task);
    if (data === undefined) return { index, problem: wordProblem(error?.issues[0]?.path[0]) };
    if (seen.has(data.id)) return { index, problem: `the id "${data.id}" occurs twice` };
    seen.add(data.id);
  }
  return null;
}

function wordProblem(field: PropertyKey | undefined): string {
  switch (field) {
    case "id":
      return "the id must be text on one line, not empty, at most 100 characters";
    case "title":
      return "the title must be text on one line, not empty, at most 500 characters";
    case "description":
      return "the description must be text, at most 20,000 characters";
    case "depends_on":
      return "depends_on must be a list of at most 1,000 task ids";
    default:
      return "a task has only an id and a title, and optionally a description and depends_on";
  }
}

/** A task in the journal. Its content was checked when it was set, so that long lists load fast. */
export const RecordedTask = z.strictObject({
  id: z.string(),
  title: z.string(),
  description: z.string().optional(),
  depends_on: z.array(z.string()).optional(),
});

export type TaskStatus = "pending" | "in_progress" | "done" | "failed" | "skipped";
