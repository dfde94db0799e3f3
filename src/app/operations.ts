import { createAccessToken, listAccessTokens, revokeAccessToken } from "./access/tokens.ts";
import { adoptTemplate } from "./commands/adopt-template.ts";
import { answerQuestion, askQuestion, withdrawQuestion } from "./commands/ask-question.ts";
import { collectRuns } from "./commands/collect-runs.ts";
import { decideRun, reopenRun } from "./commands/decide-run.ts";
import { ejectWorkflow } from "./commands/eject-workflow.ts";
import { abort, approve, goTo, pause, reject, release, resume, tell } from "./commands/person-commands.ts";
import { primeContext } from "./commands/prime-context.ts";
import { registerArtefacts } from "./commands/register-artefacts.ts";
import { removeRun } from "./commands/remove-runs.ts";
import { repairRun } from "./commands/repair-run.ts";
import { resetRun } from "./commands/reset-run.ts";
import { setTasks } from "./commands/set-tasks.ts";
import { startRun } from "./commands/start-run.ts";
import { updateTodo } from "./commands/update-todo.ts";
import { trackComplete } from "./continuity/tracked/track-complete.ts";
import { trackPhase } from "./continuity/tracked/track-phase.ts";
import { trackRemind } from "./continuity/tracked/track-remind.ts";
import { trackStart } from "./continuity/tracked/track-start.ts";
import { showBoard } from "./dashboard/board.ts";
import { showCosts } from "./dashboard/costs.ts";
import { showInbox } from "./dashboard/inbox.ts";
import { showRunFiles } from "./dashboard/run-files.ts";
import { showRunGraph } from "./dashboard/run-graph.ts";
import { showTimeline, showVisit } from "./dashboard/timeline.ts";
import { frequentCommands } from "./frequent-commands.ts";
import { frequentQueries } from "./frequent-queries.ts";
import { compareMoments } from "./queries/compare-moments.ts";
import {
  graphWorkflow,
  lintWorkflows,
  listWorkflowRows,
  showSchema,
  trustWorkflow,
} from "./queries/inspect-workflows.ts";
import { readContext } from "./queries/read-context.ts";
import { reportRun } from "./queries/report-run.ts";
import { showHandoff } from "./queries/show-handoff.ts";
import { showTemplate } from "./queries/show-template.ts";
import { showWorkflow } from "./queries/show-workflow.ts";
import { testWorkflow } from "./queries/test-workflow.ts";
import { confirmStore, initStore } from "./shared/store-setup.ts";
import { showStore } from "./shared/store-status.ts";
import { exportRun } from "./transfer/export-run.ts";
import { importRun } from "./transfer/import-run.ts";
import { importWorkflow } from "./transfer/import-workflow.ts";
import { migrateStore } from "./transfer/migrate-runs.ts";
import { pullRuns } from "./transfer/pull-runs.ts";
import { pushRuns } from "./transfer/push-runs.ts";

/** All operations by name. The command line and the MCP server serve these and add none of their own. */
export const operations = {
  ...frequentQueries,
  ...frequentCommands,
  list: listWorkflowRows,
  lint: lintWorkflows,
  schema: showSchema,
  graph: graphWorkflow,
  template: showTemplate,
  workflow: showWorkflow,
  test: testWorkflow,
  eject: ejectWorkflow,
  trust: trustWorkflow,
  start: startRun,
  tasks: setTasks,
  ask: askQuestion,
  answer: answerQuestion,
  withdraw: withdrawQuestion,
  todo: updateTodo,
  handoff: showHandoff,
  diff: compareMoments,
  report: reportRun,
  board: showBoard,
  inbox: showInbox,
  costs: showCosts,
  "run-graph": showRunGraph,
  timeline: showTimeline,
  visit: showVisit,
  "run-files": showRunFiles,
  prime: primeContext,
  context: readContext,
  artefacts: registerArtefacts,
  approve,
  reject,
  release,
  decide: decideRun,
  reopen: reopenRun,
  pause,
  tell,
  resume,
  abort,
  goto: goTo,
  reset: resetRun,
  adopt: adoptTemplate,
  rm: removeRun,
  gc: collectRuns,
  repair: repairRun,
  push: pushRuns,
  pull: pullRuns,
  export: exportRun,
  import: importRun,
  "import-workflow": importWorkflow,
  "track-start": trackStart,
  "track-phase": trackPhase,
  "track-remind": trackRemind,
  "track-complete": trackComplete,
  "store-init": initStore,
  "store-status": showStore,
  "store-confirm": confirmStore,
  "store-migrate": migrateStore,
  "token-create": createAccessToken,
  "token-list": listAccessTokens,
  "token-revoke": revokeAccessToken,
} as const;

export type OperationName = keyof typeof operations;
