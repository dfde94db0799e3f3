import { adoptTemplate } from "./adopt-template.ts";
import { advanceRun } from "./advance-run.ts";
import { answerQuestion, askQuestion, withdrawQuestion } from "./ask-question.ts";
import { abort, approve, decideReview, goTo, pause, reject, resume } from "./direct-run.ts";
import { graphWorkflow, lintWorkflows, listWorkflowRows, showSchema, trustWorkflow } from "./inspect-workflows.ts";
import { listRuns } from "./list-runs.ts";
import { showOverview } from "./overview.ts";
import { primeContext } from "./prime-context.ts";
import { readContext } from "./read-context.ts";
import { readLog, showEvent } from "./read-log.ts";
import { readSessions } from "./read-sessions.ts";
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
import { exportRun } from "./transfer/export-run.ts";
import { importRun } from "./transfer/import-run.ts";
import { importWorkflow } from "./transfer/import-workflow.ts";
import { pullRuns } from "./transfer/pull-runs.ts";
import { pushRun } from "./transfer/push-run.ts";
import { updateTodo } from "./update-todo.ts";

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
  ask: askQuestion,
  answer: answerQuestion,
  withdraw: withdrawQuestion,
  todo: updateTodo,
  status: showStatus,
  overview: showOverview,
  handoff: showHandoff,
  prime: primeContext,
  sessions: readSessions,
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
  push: pushRun,
  pull: pullRuns,
  export: exportRun,
  import: importRun,
  "import-workflow": importWorkflow,
  "track-start": trackStart,
  "track-phase": trackPhase,
  "track-remind": trackRemind,
  "track-complete": trackComplete,
} as const;

export type OperationName = keyof typeof operations;
