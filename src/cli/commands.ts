import type { CliCommand, LocalCommand } from "./command/command.ts";
import { advance, fail, next, start, tasks } from "./commands/agent.ts";
import {
  abort,
  adopt,
  approve,
  decide,
  goTo,
  pause,
  reject,
  release,
  reopen,
  reset,
  resume,
  tell,
} from "./commands/approvals.ts";
import { code } from "./commands/code.ts";
import { completion } from "./commands/completion.ts";
import { doctor } from "./commands/doctor.ts";
import { context, diff, handoff, log, report, runs, sessions, show, status } from "./commands/inspect.ts";
import { gc, repair, rm } from "./commands/maintenance.ts";
import { prime } from "./commands/priming.ts";
import { answer, ask, todo, withdraw } from "./commands/questions.ts";
import { run } from "./commands/run.ts";
import { serve } from "./commands/serve.ts";
import { init } from "./commands/setup.ts";
import { storeConfirm, storeInit, storeMigrate, storeStatus } from "./commands/store.ts";
import { tokenCreate, tokenList, tokenRevoke } from "./commands/token.ts";
import { trackComplete, trackPhase, trackRemind, trackStart } from "./commands/track.ts";
import { exportRun, importRun, importWorkflow, pull, push } from "./commands/transfer.ts";
import { eject, graph, lint, list, schema, template, test, trust } from "./commands/workflows.ts";

/** Every sub-command, in the order of the help. */
export const commands: readonly (CliCommand | LocalCommand)[] = [
  ...[list, lint, test, schema, graph, template, eject, trust, importWorkflow],
  ...[start, next, tasks, advance, fail, ask, todo, prime],
  run,
  code,
  ...[trackStart, trackPhase, trackRemind, trackComplete],
  ...[status, runs, sessions, log, show, diff, handoff, report, context],
  serve,
  ...[
    answer,
    withdraw,
    approve,
    reject,
    decide,
    release,
    tell,
    pause,
    resume,
    abort,
    goTo,
    reopen,
    reset,
    adopt,
    rm,
    gc,
  ],
  ...[init, doctor, repair, push, pull, exportRun, importRun, completion],
  ...[storeInit, storeStatus, storeConfirm, storeMigrate],
  ...[tokenCreate, tokenList, tokenRevoke],
];
