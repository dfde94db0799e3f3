import type { DecideCommand } from "../../model/command.ts";
import type { EndedRun, Run, Visit } from "../../model/run.ts";
import { isLive, outputKey } from "../../model/run-state.ts";
import type { Template } from "../../model/template.ts";
import { findStep } from "../step-settings.ts";
import { reviewVerdicts } from "../verdicts.ts";
import { actorOf } from "./approval.ts";
import {
  accept,
  type CommandHandler,
  type CommandOf,
  createEventDraft,
  type Decision,
  type HandlerContext,
  type Outputs,
  refuse,
} from "./decision.ts";
import type { Move } from "./enter-visit.ts";
import { closeOthers, skipVisit } from "./failure.ts";
import { findDecidedVisit } from "./find-target-visit.ts";
import { enterStep, reasonAt } from "./move.ts";

export const decideFailure: CommandHandler<"decide"> = (context, command) => {
  const { run, template } = context;
  const target = findDecidedVisit(run, command, ({ pending }) => pending !== undefined);
  if (!target.ok) return target;
  const { visit } = target;
  if (run.status === "paused") return refuse({ code: "run-paused", reason: run.reason });
  if (visit.pending === undefined) {
    const { token } = visit;
    if (visit.review === null) return refuse({ code: "decision-not-pending", token });
    return refuse({ code: "verdict-unfit", token, verdict: command.verdict, fitting: [...reviewVerdicts] });
  }
  const { step } = command;
  if (command.verdict === "go_to" && (step === undefined || findStep(template, step) === undefined)) {
    return refuse({ code: "step-unknown", step: step ?? "", known: template.steps.map(({ id }) => id) });
  }
  return carryOut(context, visit, visit.pending, command);
};

function carryOut(
  { template, run, at, outputs }: HandlerContext,
  visit: Visit,
  pending: NonNullable<Visit["pending"]>,
  command: DecideCommand,
): Decision {
  const { token, place } = visit;
  const { verdict, step } = command;
  const reason = command.reason?.trim() ? command.reason.trim() : null;
  const draft = createEventDraft(run, at);
  const to = verdict === "go_to" ? (step ?? null) : null;
  draft.record({ type: "failure-decided", token, place, verdict, to, ...actorOf(command), reason });
  const said = reason === null ? null : ({ from: "decision", text: reason } as const);
  const move: Move = { template, draft, outputs, unread: true, note: said };
  const target = to === null ? undefined : findStep(template, to);
  if (verdict === "skip") skipVisit(move, visit);
  if (target !== undefined) {
    closeOthers(draft, token);
    const note = said ?? { from: "failed-step" as const, text: reasonAt(outputKey(place), pending.reason) };
    enterStep({ ...move, note }, target, { from: place.step, byPerson: true });
  }
  if (verdict === "abandon") {
    closeOthers(draft, token);
    draft.record({ type: "run-failed", reason: reasonAt(outputKey(place), reason ?? pending.reason) });
  }
  return accept(draft);
}

/** Revives a run that failed or was aborted, at a step of its own or at the one where it ended. */
export function reopen(
  template: Template,
  run: Exclude<Run, { status: "absent" }>,
  { step, reason, ...command }: CommandOf<"reopen">,
  at: string,
  outputs: Outputs,
): Decision {
  if (isLive(run)) return refuse({ code: "run-not-ended", run: run.runId, status: run.status });
  if (!canReopen(run)) return refuse({ code: "run-ended", status: run.status, outputIgnored: false });
  const id = step ?? run.last?.step ?? "";
  const target = findStep(template, id);
  if (target === undefined)
    return refuse({ code: "step-unknown", step: id, known: template.steps.map((each) => each.id) });
  const why = reason?.trim() ? reason.trim() : null;
  const draft = createEventDraft(run, at);
  draft.record({ type: "run-reopened", step: id, ...actorOf(command), reason: why });
  const note = why === null ? null : ({ from: "reopened", text: why } as const);
  const move: Move = { template, draft, outputs, unread: true, note };
  enterStep(move, target, { from: run.last?.step ?? null, byPerson: true });
  return accept(draft);
}

function canReopen({ status }: EndedRun): boolean {
  return status === "failed" || status === "aborted";
}
