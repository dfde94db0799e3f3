import { countsOf } from "../../engine/loop-state.ts";
import { resolveChecks, stepSettings } from "../../engine/step-settings.ts";
import { openTasksOf } from "../../engine/view/open-tasks.ts";
import type { Standing } from "../../journal/run-journal.ts";
import { ownEntry } from "../../model/json.ts";
import type { LoopFacts, Spending, StartedRun, Usage, Visit } from "../../model/run.ts";
import {
  approvalOf,
  isActionOpen,
  isApproval,
  isLive,
  statusOfVisit,
  waitsForApproval,
} from "../../model/run-state.ts";
import type { Budget, Template } from "../../model/template.ts";
import { type Deps, type Outcome, yes } from "../../operation/operation.ts";
import type { RunOverview } from "../../serve/contract/query-answers.ts";
import { isAliveHere } from "../../sessions/session-log.ts";
import { createServerPorts } from "../continuity/ports/server-ports.ts";
import { describeCheck } from "../gates/describe-check.ts";
import { chooseMoment, type MomentOfRun, type RunAt } from "../runs/moment.ts";
import { type StatusReply, visitOf } from "../runs/reply.ts";
import { type Submission, submissionFor } from "../runs/submission.ts";
import { readFrozen } from "../workflows/frozen-template.ts";
import { statusAt } from "./show-status.ts";

/** A run at a glance, for a person: every step with its result, and what blocks the current one. */
export interface Overview extends RunOverview {
  readonly status: StatusReply;
  /** How the visit stands that is shown; of several tasks, some may wait while others go on. */
  readonly visitStatus: StatusReply["status"];
  readonly gates: readonly string[];
  /** What a person is asked to approve; null if nothing waits for that. */
  readonly submission: Submission | null;
  /** Who approved the current visit; null if nobody has. */
  readonly approvedBy: string | null;
  readonly contextActionDue: string | null;
  /** A context action that the agent was asked for and that has not happened: only the person can type it. */
  readonly contextActionOpen: string | null;
  /** The ids of the tasks of the open loop that were not done. */
  readonly failedTasks: readonly string[];
  readonly skippedTasks: readonly string[];
}

export type StepGlance = RunOverview["steps"][number];

export async function showOverview(now: Deps, { run: named, at }: MomentOfRun): Promise<Outcome<Overview>> {
  const chosen = await chooseMoment(now, named, at);
  if (!chosen.ok) return chosen;
  const { deps, standing, moment } = chosen.value;
  const { run } = standing;
  const { template } = await readFrozen(deps, run);
  const visit = visitOf(deps, standing);
  const ports = await createServerPorts(deps);
  const open = run.sessions.filter(({ id, ended }) => ended === null && isAliveHere(ports, id) === true);
  return yes({
    status: await statusAt(chosen.value, named),
    visitStatus: visit === null ? run.status : statusOfVisit(run, visit),
    startedAt: run.startedAt,
    until: isLive(run) ? deps.now() : run.endedAt,
    steps: template.steps.map(({ id }) => stepGlance(standing, id)),
    gates: visit === null ? [] : gatesOf(template, run, visit),
    submission: await submissionOf(chosen.value, visit),
    approvedBy: visit === null ? null : (approvalOf(visit)?.by ?? null),
    budget: visit === null ? null : budgetText(stepSettings(template, visit.place)?.budget, visit.spending, run),
    runBudget: isLive(run) ? budgetText(template.budget, run.spending, run) : null,
    used: usedText(run.usage),
    contextActionDue: visit?.action?.status === "due" ? visit.action.name : null,
    contextActionOpen: visit !== null && isActionOpen(visit) ? visit.action.name : null,
    liveSessions: isLive(run) && moment === undefined ? open.length : 0,
    ...notDone(run),
  });
}

/** Of the past only the state is known, not what had been sent by then. */
async function submissionOf({ deps, standing, moment }: RunAt, visit: Visit | null): Promise<Submission | null> {
  const { run } = standing;
  // Where several tasks are open and none of them is the caller's, the only one that waits is meant.
  const open = visit !== null ? [visit] : isLive(run) ? run.visits : [];
  const [shown, ...others] = open.filter(waitsForApproval);
  if (moment !== undefined || shown === undefined || others.length > 0) return null;
  return submissionFor(deps, standing, shown.token);
}

function stepGlance({ run }: Standing, id: string): StepGlance {
  const facts = Object.hasOwn(run.steps, id) ? run.steps[id] : undefined;
  const loop = Object.hasOwn(run.loops, id) ? run.loops[id] : undefined;
  const isOpen = facts?.status === "open";
  // It has been entered again, and its tasks are those of the last time.
  const isNew = loop?.status === "finished" && isOpen;
  return {
    id,
    status: facts?.status ?? "ahead",
    visits: facts?.visits ?? 0,
    tasks: loop === undefined || loop.tasks.length === 0 || isNew ? null : tasksText(run, loop, isOpen),
  };
}

/** Which task is being worked on; where several are, or none any more, how many are done, and what became of the others. */
function tasksText(run: StartedRun, loop: LoopFacts, isOpen: boolean): string {
  const { done, failed, skipped, total } = countsOf(loop);
  if (isOpen && openTasksOf(run).length > 0) return `${done}/${total}`;
  if (isOpen) return `${Math.min(total, done + failed + skipped + 1)}/${total}`;
  return [
    `${done}/${total}`,
    ...(failed > 0 ? [`${failed} failed`] : []),
    ...(skipped > 0 ? [`${skipped} skipped`] : []),
  ].join(", ");
}

function notDone(run: StartedRun): Pick<Overview, "failedTasks" | "skippedTasks"> {
  const loop = isLive(run) ? ownEntry(run.loops, run.visits[0]?.place.step ?? "") : undefined;
  const ids = (indexes: readonly number[] = []) => indexes.flatMap((index) => loop?.tasks[index]?.id ?? []);
  return { failedTasks: ids(loop?.failed), skippedTasks: ids(loop?.skipped) };
}

function gatesOf(template: Template, { variables }: StartedRun, { place, approval }: Visit): string[] {
  const elsewhere = approval === "foreign" ? " (given on another machine, which does not count here)" : "";
  const gates = resolveChecks(template, variables, stepSettings(template, place)?.gates ?? []);
  return gates.map((gate) => {
    return isApproval(gate) ? `a person's approval${elsewhere}` : describeCheck(gate);
  });
}

/** How much of a budget is spent. A limit that nothing has been reported for says so: it cannot be reached. */
function budgetText(
  budget: Budget | null | undefined,
  spending: Spending | undefined,
  { usage }: StartedRun,
): string | null {
  if (budget === null || budget === undefined) return null;
  const { turns = 0, tokens = 0, cost = 0 } = spending ?? {};
  const unknown = (reported: number | null | undefined) => (reported == null ? " (none reported so far)" : "");
  const parts = [
    budget.turns === undefined ? [] : [`${turns} of ${budget.turns} turns`],
    budget.minutes === undefined ? [] : [`${budget.minutes} minutes at most`],
    budget.tokens === undefined
      ? []
      : [`${grouped(tokens)} of ${grouped(budget.tokens)} tokens${unknown(usage?.tokens)}`],
    budget.cost === undefined ? [] : [`${dollars(cost)} of ${dollars(budget.cost)}${unknown(usage?.cost)}`],
  ];
  return parts.flat().join(", ");
}

function usedText(usage: Usage | undefined): string | null {
  if (usage === undefined || (usage.tokens === null && usage.cost === null)) return null;
  const { turns, tokens, cost } = usage;
  const turnsText = `${turns} ${turns === 1 ? "turn" : "turns"}`;
  return [
    turnsText,
    ...(tokens === null ? [] : [`${grouped(tokens)} tokens`]),
    ...(cost === null ? [] : [dollars(cost)]),
  ].join(", ");
}

function dollars(amount: number): string {
  return `$${amount.toFixed(amount > 0 && amount < 0.01 ? 4 : 2)}`;
}

function grouped(count: number): string {
  return count.toLocaleString("en");
}
