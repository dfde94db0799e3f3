import { adoptTemplate } from "./adopt-template.ts";
import { advanceRun } from "./advance-run.ts";
import { abort, approve, decideReview, goTo, pause, reject, resume } from "./direct-run.ts";
import { graphWorkflow, lintWorkflows, listWorkflowRows, showSchema, trustWorkflow } from "./inspect-workflows.ts";
import { listRuns } from "./list-runs.ts";
import { showOverview } from "./overview.ts";
import { readContext } from "./read-context.ts";
import { readLog, showEvent } from "./read-log.ts";
import { registerArtefacts } from "./register-artefacts.ts";
import { collectRuns, removeRun } from "./remove-runs.ts";
import { repairRun } from "./repair-run.ts";
import { resetRun } from "./reset-run.ts";
import { setTasks } from "./set-tasks.ts";
import { showHandoff } from "./show-handoff.ts";
import { showStatus } from "./show-status.ts";
import { startRun } from "./start-run.ts";
import { takeNext } from "./take-next.ts";
import { trackComplete } from "./track-complete.ts";
import { trackPhase } from "./track-phase.ts";
import { trackRemind } from "./track-remind.ts";
import { trackStart } from "./track-start.ts";

/** Everything that can be asked, by name. Every face serves from this table and adds nothing to it. */
export const operations = {
  list: listWorkflowRows,
  lint: lintWorkflows,
  schema: showSchema,
  graph: graphWorkflow,
  trust: trustWorkflow,
  start: startRun,
  next: takeNext,
  tasks: setTasks,
  advance: advanceRun,
  status: showStatus,
  overview: showOverview,
  handoff: showHandoff,
  runs: listRuns,
  log: readLog,
  show: showEvent,
  context: readContext,
  artefacts: registerArtefacts,
  approve,
  reject,
  decide: decideReview,
  pause,
  resume,
  abort,
  goto: goTo,
  reset: resetRun,
  adopt: adoptTemplate,
  rm: removeRun,
  gc: collectRuns,
  repair: repairRun,
  "track-start": trackStart,
  "track-phase": trackPhase,
  "track-remind": trackRemind,
  "track-complete": trackComplete,
} as const;

export type OperationName = keyof typeof operations;
