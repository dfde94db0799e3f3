import type { Visit } from "../../model/run.ts";
import type { Template } from "../../model/template.ts";
import { minutesBetween } from "../../model/time.ts";
import { findStep, stepSettings } from "../step-settings.ts";
import { actorOf } from "./approval.ts";
import { accept, type CommandHandler, createEventDraft, refuse } from "./decision.ts";
import { closeOthers } from "./failure.ts";
import { enterStep, firstPlace } from "./move.ts";
import { notForAgents } from "./visit-checks.ts";

export const pause: CommandHandler<"pause"> = ({ run, at }, command) => {
  if (run.status === "paused") return refuse({ code: "run-paused", reason: run.reason });
  const draft = createEventDraft(run, at);
  draft.record({ type: "run-paused", ...actorOf(command), reason: command.reason ?? null });
  return accept(draft);
};

export const resume: CommandHandler<"resume"> = ({ run, at }, command) => {
  if (run.status !== "paused") return refuse({ code: "run-not-paused", status: run.status });
  const draft = createEventDraft(run, at);
  draft.record({ type: "run-resumed", ...actorOf(command) });
  return accept(draft);
};

export const abort: CommandHandler<"abort"> = ({ run, at }, command) => {
  const draft = createEventDraft(run, at);
  // Whoever works on one of several tasks finds the end of their own visit in the journal.
  if (run.visits.some(({ claim }) => claim !== undefined)) closeOthers(draft, "");
  draft.record({ type: "run-aborted", ...actorOf(command), reason: command.reason });
  return accept(draft);
};

/** Moves a run to any step. Open visits are closed without a result; the run can return to their steps later. */
export const goTo: CommandHandler<"goto"> = ({ template, run, at, outputs }, command) => {
  const { step, reason } = command;
  const target = findStep(template, step);
  if (target === undefined) {
    return refuse({ code: "step-unknown", step, known: template.steps.map((known) => known.id) });
  }
  const draft = createEventDraft(run, at);
  draft.record({ type: "run-redirected", to: step, ...actorOf(command), reason });
  for (const { token, place } of run.visits) draft.record({ type: "visit-closed", token, place, reason: "goto" });
  const move = { template, draft, outputs, unread: true, note: { from: "goto", text: reason } } as const;
  enterStep(move, target, { from: run.last?.step ?? null, byPerson: true });
  return accept(draft);
};

/** Adopts a changed template if every open visit still has a place in it. */
export const adopt: CommandHandler<"adopt"> = ({ template, run, at }, { templateHash, ...command }) => {
  for (const visit of run.visits) {
    const { token, checking } = visit;
    if (visit.command !== undefined) return refuse(notForAgents(visit, at));
    if (checking !== null) {
      return refuse({ code: "gate-running", token, seconds: Math.floor(minutesBetween(checking.since, at) * 60) });
    }
    const problem = misfit(template, visit);
    if (problem !== null) return refuse({ code: "template-unfit", step: visit.place.step, problem });
  }
  const draft = createEventDraft(run, at);
  if (run.templateHash !== templateHash) {
    draft.record({ type: "template-adopted", templateHash, ...actorOf(command), untaken: true });
    const isFirstBudget = template.budget !== undefined && run.spending === undefined;
    if (isFirstBudget) draft.record({ type: "usage-recorded", turns: 0 });
  }
  return accept(draft);
};

function misfit(template: Template, { place }: Visit): string | null {
  const step = findStep(template, place.step);
  if (step === undefined) return `it has no step "${place.step}"`;
  const type = place.type === "sub-step" ? "loop" : place.type;
  if (step.type !== type && firstPlace(step).type !== type)
    return `its step "${place.step}" is of type ${step.type}, not ${type}`;
  if (stepSettings(template, place) === null && place.type === "sub-step") {
    return `its loop "${place.step}" has no sub-step "${place.subStep}"`;
  }
  if (step.type === "ralph" && place.type === "ralph" && place.iteration > step.n) {
    return `its step "${place.step}" has ${step.n} iterations, and the run is at ${place.iteration}`;
  }
  return null;
}
