import type { TaskStatus } from "../model/task.ts";

/** One sign per task. Chunks keep the cost of one mark the same for ten tasks and for a hundred thousand. */
const chunkSize = 256;

const signs = { pending: ".", done: "d", failed: "f" } as const;
type Mark = keyof typeof signs;

export function freshMarks(count: number): readonly string[] {
  const full = Array.from({ length: Math.floor(count / chunkSize) }, () => signs.pending.repeat(chunkSize));
  const rest = count % chunkSize;
  return rest === 0 ? full : [...full, signs.pending.repeat(rest)];
}

export function setMark(marks: readonly string[], index: number, mark: Mark): readonly string[] {
  const chunk = Math.floor(index / chunkSize);
  const offset = index % chunkSize;
  const before = marks[chunk] ?? "";
  return marks.with(chunk, before.slice(0, offset) + signs[mark] + before.slice(offset + 1));
}

export function markAt(marks: readonly string[], index: number): Exclude<TaskStatus, "in_progress"> {
  const sign = marks[Math.floor(index / chunkSize)]?.[index % chunkSize];
  if (sign === signs.done) return "done";
  return sign === signs.failed ? "failed" : "pending";
}

/** The marks of a list whose first `kept` tasks stay and whose others are new. */
export function keepMarks(marks: readonly string[], kept: number, count: number): readonly string[] {
  const old = marks.join("").slice(0, kept).padEnd(count, signs.pending);
  return Array.from({ length: Math.ceil(count / chunkSize) }, (_, n) => old.slice(n * chunkSize, (n + 1) * chunkSize));
}
