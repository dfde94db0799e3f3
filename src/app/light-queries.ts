import { listRuns } from "./queries/list-runs.ts";
import { showOverview } from "./queries/overview.ts";
import { showProject } from "./queries/project-glance.ts";
import { showStatus } from "./queries/show-status.ts";

/**
 * The queries that only show where runs stand. The command line calls them without schemas, because zod took a third of
 * their time: what they import statically must stay free of it.
 */
export const lightQueries = {
  status: showStatus,
  overview: showOverview,
  project: showProject,
  runs: listRuns,
} as const;
