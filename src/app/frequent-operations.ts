import { advanceRun } from "./commands/advance-run.ts";
import { takeNext } from "./commands/take-next.ts";
import { listRuns } from "./queries/list-runs.ts";
import { showOverview } from "./queries/overview.ts";
import { showProject } from "./queries/project-glance.ts";
import { readLog, showEvent } from "./queries/read-log.ts";
import { readSessions } from "./queries/read-sessions.ts";
import { showStatus } from "./queries/show-status.ts";

/**
 * The operations that are called most. The command line has a file of its own for them, which starts faster because it
 * holds no YAML, no git and no schema of a template: what they import statically must stay free of those.
 */
export const frequentOperations = {
  status: showStatus,
  overview: showOverview,
  project: showProject,
  runs: listRuns,
  sessions: readSessions,
  log: readLog,
  show: showEvent,
  next: takeNext,
  advance: advanceRun,
} as const;
