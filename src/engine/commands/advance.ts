import type { Note } from "../../model/carry.ts";
import type { AdvanceCommand } from "../../model/command.ts";
import type { StartedRun, Visit } from "../../model/run.ts";
import { openQuestion, outputKey } from "../../model/run-state.ts";
import type { Template } from "../../model/template.ts";
import { fingerprint } from "../fingerprint.ts";
import { findStep, outcomesOf, type StepSettings, stepSettings, waitsForTasks } from "../step-settings.ts";
import { accept, createEventDraft, type Decision, type HandlerContext, type Refused, refuse } from "./decision.ts";
import type { Move } from "./enter-visit.ts";
import { failVisit } from "./failure.ts";
import { findSpent, findTargetVisit } from "./find-target-visit.ts";
import { enterStep, goOnFrom, reasonAt } from "./move.ts";
import { findCommandVariable, typeVariables } from "./typed-variables.ts";
import { checkGates, decisionNeeded, holds, notForAgents, reviewNeeded, spentBudget } from "./visit-checks.ts";

/** The answer to a repeated advance with the same payload; null for a new one. */
export function repeated(run: StartedRun, command: AdvanceCommand): Decision | null {
  const spent = findSpent(run, command.token);
  if (spent === undefined || spent.fingerprint !== fingerprint(command)) return null;
  return { ok: true, events: [], run, replayed: spent };
}

export function advance(context: HandlerContext, command: AdvanceCommand): Decision {
  const { template, run } = context;
  const target = findTargetVisit(run, command);
  if (!target.ok) return target;
  const { visit } = target;
  if (run.status === "paused") return refuse({ code: "run-paused", reason: run.reason });
  if (visit.pending !== undefined) return refuse(decisionNeeded(visit, visit.pending));
  // A program without our server runs the command itself, and says how it went.
  if (visit.place.type === "command" && command.unattended !== true) return refuse(notForAgents(visit, context.at));
  // What waits for a person's decision is not helped by instructions.
  if (visit.untaken && visit.review === null && command.failed !== true) {
    return refuse({ code: "instructions-not-taken", token: visit.token, step: visit.place.step });
  }
  const spent = spentBudget(context, visit);
  if (spent !== null) return reviewNeeded(visit, spent);
  const question = openQuestion(run, visit.token);
  if (question !== null) {
    return refuse({ code: "answer-needed", token: visit.token, question: question.id, text: question.text });
  }
  const settings = stepSettings(template, visit.place);
  if (settings === null) return refuse({ code: "step-unknown", step: visit.place.step, known: idsOf(context) });
  return command.failed === true ? fail(context, visit, settings, command) : end(context, visit, settings, command);
}

function end(context: HandlerContext, visit: Visit, settings: StepSettings, command: AdvanceCommand): Decision {
  const { template, run, at } = context;
  const { place, token } = visit;
  if (waitsForTasks(template, place)) return refuse({ code: "tasks-missing", loop: place.step });
  const sent = checkSent(template, command);
  const no =
    checkOutcome(context, visit, command.outcome) ?? sent.refused ?? checkGates(visit, settings.gates, command);
  if (no !== null) return no;

  const draft = createEventDraft(run, at);
  const move: Move = {
    template,
    draft,
    outputs: { ...context.outputs, [place.step]: command.output },
    session: whoGoesOn(command),
    note: wordOnApproval(visit),
    unread: command.undelivered,
    worktree: command.worktree,
    clone: command.clone,
  };
  const gates = [...(command.gates ?? [])];
  const until = [...(command.until ?? [])];
  if (gates.length > 0) draft.record({ type: "gates-checked", token, purpose: "gate", evidence: gates });
  if (until.length > 0) draft.record({ type: "gates-checked", token, purpose: "until", evidence: until });
  draft.record({
    type: "visit-ended",
    ...answer(visit, command),
    outcome: command.outcome ?? null,
    ...(command.variables && { variables: { ...sent.values } }),
    ...(command.artifacts && { artifacts: { ...command.artifacts } }),
  });
  const target = command.outcome === undefined ? "next" : (outcomesOf(template, place)?.[command.outcome] ?? "next");
  if (target === "next") goOnFrom(move, visit, untilHolds(context, visit, command));
  else follow(move, place.step, target, command);
  return accept(draft);
}

/** An agent advances a run, so an advance sets no variable that is executed. */
function checkSent(template: Template, { variables }: AdvanceCommand): Sent {
  if (variables === undefined) return { refused: null, values: {} };
  const variable = findCommandVariable(template, variables);
  const typed =
    variable === null
      ? typeVariables(template, variables)
      : refuse({ code: "variable-protected", variable, workflow: null });
  return typed.ok ? { refused: null, values: typed.values } : { refused: typed, values: {} };
}

interface Sent {
  readonly refused: Refused | null;
  readonly values: NonNullable<AdvanceCommand["variables"]>;
}

function whoGoesOn({ session, undelivered }: AdvanceCommand): string | undefined {
  return undelivered === true ? undefined : session;
}

/** What was said with the approval of this visit belongs to the next one, which may start with a cleared conversation. */
function wordOnApproval({ approval, approved, note }: Visit): Note | null {
  if (approval !== "given") return null;
  // States of older versions have the words as a note.
  if (approved === undefined) return note?.from === "approved" ? note : null;
  return approved.text === null ? null : { from: "approved", text: approved.text };
}

function follow(move: Move, step: string, target: string, command: AdvanceCommand): void {
  const { draft, template } = move;
  if (target === "fail") {
    draft.record({ type: "step-ended", step, status: "failed" });
    draft.record({ type: "run-failed", reason: reasonAt(step, command.output || (command.outcome ?? "")) });
    return;
  }
  draft.record({ type: "step-ended", step, status: "done" });
  const next = findStep(template, target);
  if (next === undefined) draft.record({ type: "run-completed" });
  else enterStep(move, next, { from: step });
}

function fail(context: HandlerContext, visit: Visit, settings: StepSettings, command: AdvanceCommand): Decision {
  if (command.outcome !== undefined) {
    return refuse({ code: "outcome-unexpected", outcome: command.outcome, failed: true });
  }
  const { template, run, at } = context;
  const draft = createEventDraft(run, at);
  const outputs = { ...context.outputs, [visit.place.step]: command.output };
  const { session, worktree, clone, undelivered: unread } = command;
  const move: Move = { template, draft, outputs, session, worktree, clone, unread };
  failVisit(move, visit, settings, { answer: sentAnswer(command), unattended: command.unattended });
  return accept(draft);
}

function answer({ token, place }: Visit, command: AdvanceCommand) {
  return { token, place, key: outputKey(place), ...sentAnswer(command) };
}

function sentAnswer(command: AdvanceCommand) {
  const session = command.session === undefined ? {} : { session: command.session };
  return { output: command.output, fingerprint: fingerprint(command), ...session };
}

function checkOutcome(context: HandlerContext, visit: Visit, outcome: string | undefined): Refused | null {
  const outcomes = outcomesOf(context.template, visit.place);
  if (outcomes === null) {
    return outcome === undefined ? null : refuse({ code: "outcome-unexpected", outcome, failed: false });
  }
  const known = Object.keys(outcomes);
  if (outcome === undefined) return refuse({ code: "outcome-needed", step: visit.place.step, known });
  return known.includes(outcome) ? null : refuse({ code: "outcome-unknown", outcome, known });
}

function untilHolds(context: HandlerContext, visit: Visit, command: AdvanceCommand): boolean {
  const step = findStep(context.template, visit.place.step);
  if (step?.type !== "ralph" || step.until === undefined) return false;
  return step.until.every((_, index) => holds(command.until ?? [], index));
}

function idsOf({ template }: HandlerContext): string[] {
  return template.steps.map((step) => step.id);
}
