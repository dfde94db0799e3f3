import type { Notice } from "../../../engine/commands/notices.ts";
import type { Standing } from "../../../journal/run-journal.ts";
import type { ContinuityPorts } from "./ports.ts";

/** Puts what a hook has seen into the run's journal, and loads what that takes only then. */
export async function recordNotices(
  ports: ContinuityPorts,
  before: Standing,
  commands: readonly Notice[],
): Promise<Standing> {
  if (commands.length === 0) return before;
  const { appendNotices: noteRun } = await import("./append-notices.ts");
  return noteRun(ports, before, commands);
}
