import type { Evidence } from "../../model/recorded.ts";
import type { Visit } from "../../model/run.ts";
import { outputKey } from "../../model/run-state.ts";
import { type Task, taskProblem } from "../../model/task.ts";
import type { Template } from "../../model/template.ts";
import { fingerprintOf } from "../fingerprint.ts";
import { commandAt, type StepSettings, sourceAt, stepSettings, waitsForTasks } from "../step-settings.ts";
import { graphProblem } from "../task-graph.ts";
import {
  accept,
  type CommandHandler,
  type CommandOf,
  createEventDraft,
  type Decision,
  type EventDraft,
  type HandlerContext,
  type Refused,
  refuse,
} from "./decision.ts";
import type { Move } from "./enter-visit.ts";
import { askPerson, failVisit } from "./failure.ts";
import { findTargetVisit } from "./find-target-visit.ts";
import { goOnFrom } from "./move.ts";
import { beginLoop } from "./tasks.ts";
import { decisionNeeded, notForAgents, reviewNeeded, spentBudget } from "./visit-checks.ts";

/**
 * Records that a process is about to run the visit's command. One that was interrupted is started again only if its step
 * says that it may; otherwise a person is asked. The caller starts the process only if `command-started` was recorded.
 */
export const startCommand: CommandHandler<"start-command"> = (context, command) => {
  const { template, run, at } = context;
  const target = findTargetVisit(run, command);
  if (!target.ok) return target;
  const { visit } = target;
  const { token, place } = visit;
  const own = commandAt(template, run.variables, place);
  if (run.status === "paused") return refuse({ code: "run-paused", reason: run.reason });
  if (visit.pending !== undefined) return refuse(decisionNeeded(visit, visit.pending));
  if (own === null) return refuse({ code: "step-stale", sent: token, spent: false, open: [token] });
  if (visit.command !== undefined && !command.interrupted) return refuse(notForAgents(visit, at));
  const spent = spentBudget(context, visit);
  if (spent !== null) return reviewNeeded(visit, spent);
  const draft = createEventDraft(run, at);
  if (visit.command !== undefined) draft.record({ type: "command-interrupted", token });
  if (visit.command?.repeatable === false) askPerson(draft, token, "interrupted", lost);
  else draft.record({ type: "command-started", token, runner: command.runner, repeatable: own.repeatable });
  return accept(draft);
};

const lost = "its process ended without a result";

/**
 * Records how the command ended and moves on. No agent reads the reply, so the next visit is left to take. What gets the tasks
 * of a loop without a process, such as a file, has not been started before.
 */
export const endCommand: CommandHandler<"end-command"> = (context, command) => {
  const { run, template, at } = context;
  const target = findTargetVisit(run, command);
  if (!target.ok) return target;
  const { visit } = target;
  const { token, place } = visit;
  const settings = stepSettings(template, place);
  if (settings === null || !(visit.command?.runner === command.runner || isReadable(template, visit))) {
    return refuse({ code: "step-stale", sent: token, spent: false, open: run.visits.map((open) => open.token) });
  }
  const held = visit.command === undefined ? refuseToBegin(context, visit) : null;
  if (held !== null) return held;
  const draft = createEventDraft(run, at);
  if (command.cancelled) return interrupt(draft, visit, command.evidence.tail ?? "");
  const isSource = waitsForTasks(template, place);
  const evidence = isSource ? withTasks(command) : command.evidence;
  draft.record({ type: "command-ended", token, evidence });
  const move: Move = { template, draft, outputs: context.outputs, unread: true };
  if (isSource && evidence.held) take(move, visit, command.tasks ?? []);
  else finish({ ...move, outputs: { ...move.outputs, [place.step]: evidence.tail ?? "" } }, visit, settings, evidence);
  return accept(draft);
};

function interrupt(draft: EventDraft, { token, command }: Visit, tail: string): Decision {
  draft.record({ type: "command-interrupted", token, tail });
  if (command?.repeatable === false) askPerson(draft, token, "interrupted", "it was stopped before it ended");
  return accept(draft);
}

function refuseToBegin(context: HandlerContext, visit: Visit): Refused | null {
  const { run } = context;
  if (run.status === "paused") return refuse({ code: "run-paused", reason: run.reason });
  const spent = spentBudget(context, visit);
  return spent === null ? null : reviewNeeded(visit, spent);
}

/** Whether the visit's tasks can be had at once: no process was to be started, and no person is asked. */
function isReadable(template: Template, { place, command, pending }: Visit): boolean {
  const source = sourceAt(template, place);
  return source !== null && !("run" in source) && command === undefined && pending === undefined;
}

/** Tasks that `set_tasks` would refuse are a failure of their source. */
function withTasks({ evidence, tasks = [] }: CommandOf<"end-command">): Evidence {
  const invalid = evidence.held ? (taskProblem(tasks) ?? graphProblem(tasks)) : null;
  return invalid === null
    ? evidence
    : { ...evidence, held: false, tail: `task ${invalid.index + 1}: ${invalid.problem}` };
}

function take(move: Move, visit: Visit, tasks: readonly Task[]): void {
  move.draft.record({ type: "tasks-set", loop: visit.place.step, tasks: [...tasks], kept: 0 });
  beginLoop(move, visit);
}

function finish(move: Move, visit: Visit, settings: StepSettings, evidence: Evidence): void {
  const { token, place } = visit;
  const { what, held, tail: output = "", exitCode = 0, timedOut } = evidence;
  const answer = { output, fingerprint: fingerprintOf(output) };
  if (held) {
    move.draft.record({ type: "visit-ended", token, place, key: outputKey(place), ...answer, outcome: null });
    goOnFrom(move, visit, false);
    return;
  }
  const how = timedOut === true ? " (timed out)" : exitCode === 0 ? "" : ` (exit ${exitCode})`;
  failVisit(move, visit, settings, { answer, reason: `${what}${how}\n${output}` });
}
