import type { Evidence } from "../../model/gate.ts";
import { outputKey } from "../../model/place.ts";
import type { Refusal } from "../../model/refusal/refusal.ts";
import type { Visit } from "../../model/run.ts";
import { minutesBetween } from "../../model/time.ts";
import { fingerprintOf } from "../fingerprint.ts";
import { findStep, type StepSettings, stepSettings } from "../step-settings.ts";
import { accept, type CommandHandler, createEventDraft, refuse } from "./decision.ts";
import type { Move } from "./enter-visit.ts";
import { askPerson, failVisit } from "./failure.ts";
import { findTargetVisit } from "./find-target-visit.ts";
import { goOnFrom } from "./move.ts";
import { decisionNeeded, reviewNeeded, spentBudget } from "./visit-checks.ts";

/** Why an agent cannot end, or ask about, a step that Holdfast carries out itself. */
export function notForAgents({ token, place: { step }, command }: Visit, at: string): Refusal {
  if (command === undefined) return { code: "command-step", token, step };
  return { code: "step-running", token, step, seconds: Math.floor(minutesBetween(command.since, at) * 60) };
}

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
  const step = findStep(template, place.step);
  if (run.status === "paused") return refuse({ code: "run-paused", reason: run.reason });
  if (visit.pending !== undefined) return refuse(decisionNeeded(visit, visit.pending));
  if (step?.type !== "command" || place.type !== "command")
    return refuse({ code: "step-stale", sent: token, spent: false, open: [token] });
  if (visit.command !== undefined && !command.interrupted) return refuse(notForAgents(visit, at));
  const spent = spentBudget(context, visit);
  if (spent !== null) return reviewNeeded(visit, spent);
  const draft = createEventDraft(run, at);
  if (visit.command !== undefined) draft.record({ type: "command-interrupted", token });
  if (visit.command?.repeatable === false) askPerson(draft, token, "interrupted", lost);
  else draft.record({ type: "command-started", token, runner: command.runner, repeatable: step.repeatable === true });
  return accept(draft);
};

const lost = "its process ended without a result";

/** Records how the command ended and moves on. No agent reads the reply, so the next visit is left to take. */
export const endCommand: CommandHandler<"end-command"> = (context, command) => {
  const { run, template, at } = context;
  const target = findTargetVisit(run, command);
  if (!target.ok) return target;
  const { visit } = target;
  const { token, place } = visit;
  const settings = stepSettings(template, place);
  if (visit.command?.runner !== command.runner || settings === null) {
    return refuse({ code: "step-stale", sent: token, spent: false, open: run.visits.map((open) => open.token) });
  }
  const draft = createEventDraft(run, at);
  const { evidence } = command;
  const { tail = "" } = evidence;
  if (command.cancelled) {
    draft.record({ type: "command-interrupted", token, tail });
    if (!visit.command.repeatable) askPerson(draft, token, "interrupted", "it was stopped before it ended");
    return accept(draft);
  }
  draft.record({ type: "command-ended", token, evidence });
  const move: Move = { template, draft, outputs: { ...context.outputs, [place.step]: tail }, unread: true };
  if (evidence.held) pass(move, visit, tail);
  else fail(move, visit, settings, evidence);
  return accept(draft);
};

function pass(move: Move, visit: Visit, output: string): void {
  const { token, place } = visit;
  const fingerprint = fingerprintOf(output);
  move.draft.record({ type: "visit-ended", token, place, key: outputKey(place), output, fingerprint, outcome: null });
  goOnFrom(move, visit, false);
}

function fail(move: Move, visit: Visit, settings: StepSettings, evidence: Evidence): void {
  const { what, tail = "", exitCode, timedOut } = evidence;
  const how = timedOut === true ? " (timed out)" : exitCode === undefined ? "" : ` (exit ${exitCode})`;
  const answer = { output: tail, fingerprint: fingerprintOf(tail) };
  failVisit(move, visit, settings, { answer, reason: `${what}${how}\n${tail}` });
}
