import { listRuns } from "./queries/list-runs.ts";
import { showOverview } from "./queries/overview.ts";
import { showProject } from "./queries/project-glance.ts";
import { readLog, showEvent } from "./queries/read-log.ts";
import { readSessions } from "./queries/read-sessions.ts";
import { showStatus } from "./queries/show-status.ts";

/**
 * The queries that are called most. The command line has a file of its own for them, which starts faster because it holds
 * no YAML, no git, no schema of a template and nothing that moves a run: what they import statically must stay free of those.
 */
export const frequentQueries = {
  status: showStatus,
  overview: showOverview,
  project: showProject,
  runs: listRuns,
  sessions: readSessions,
  log: readLog,
  show: showEvent,
} as const;
