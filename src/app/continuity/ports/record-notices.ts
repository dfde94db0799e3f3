import type { Notice } from "../../../engine/commands/notices.ts";
import type { Standing } from "../../../journal/run-journal.ts";
import type { ContinuityPorts } from "./ports.ts";

/** Appends a hook's notices to the run's journal. Loads the code that writes only on demand. */
export async function recordNotices(
  ports: ContinuityPorts,
  before: Standing,
  commands: readonly Notice[],
): Promise<Standing> {
  if (commands.length === 0) return before;
  const { appendNotices } = await import("./append-notices.ts");
  return appendNotices(ports, before, commands);
}
