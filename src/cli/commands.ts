import type { CliCommand, LocalCommand } from "./command.ts";
import { advance, fail, next, start, tasks } from "./commands/agent.ts";
import { doctor } from "./commands/doctor.ts";
import { log, runs, show, status } from "./commands/looking.ts";
import { abort, adopt, approve, decide, goTo, pause, reject, reset, resume } from "./commands/people.ts";
import { init } from "./commands/setup.ts";
import { trackComplete, trackPhase, trackRemind, trackStart } from "./commands/track.ts";
import { gc, repair, rm } from "./commands/upkeep.ts";
import { graph, lint, list, schema, trust } from "./commands/workflows.ts";

/** Every sub-command, in the order of the help. */
export const commands: readonly (CliCommand | LocalCommand)[] = [
  ...[list, lint, schema, graph, trust],
  ...[start, next, tasks, advance, fail],
  ...[trackStart, trackPhase, trackRemind, trackComplete],
  ...[status, runs, log, show],
  ...[approve, reject, decide, pause, resume, abort, goTo, reset, adopt, rm, gc],
  ...[init, doctor, repair],
];
