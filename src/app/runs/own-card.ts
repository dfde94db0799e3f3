import { type CardPhase, type OwnCard, openTasksKey, runningGateKey } from "../../cards/card.ts";
import { phaseAt } from "../../engine/step-settings.ts";
import { gateCommands } from "../../engine/view/visit-rules.ts";
import { ownEntry } from "../../model/json.ts";
import { fillText } from "../../model/placeholder.ts";
import type { LiveRun, StartedRun, Visit } from "../../model/run.ts";
import { canGoOn, isLive, processOf } from "../../model/run-state.ts";
import type { Template } from "../../model/template.ts";

/** The part of a card that follows from the run. Additions by an agent or person are in card and journal. */
export function ownCard(template: Template, run: StartedRun): OwnCard {
  return {
    workflow: run.workflow,
    workflow_type: run.workflowType,
    phase: phaseOf(template, run),
    created_at: run.startedAt,
    run_id: run.runId,
    required_reading: template.required_reading ?? [],
    key_reminders: remindersOf(template, run),
    context: { ...openTasksOn(run), ...run.variables },
    other: { ...carriedOn(run), ...gateOn(template, run) },
  };
}

/** Whether two states of a run give the same card. Compares everything that `ownCard` reads and that can change. */
export function hasSameCard(one: StartedRun, other: StartedRun): boolean {
  return (
    one.templateHash === other.templateHash &&
    one.status === other.status &&
    one.last?.step === other.last?.step &&
    one.variables === other.variables &&
    one.summary === other.summary &&
    one.carried.pivot === other.carried.pivot &&
    one.questions === other.questions &&
    openTasks(one).join("\n") === openTasks(other).join("\n") &&
    sinceOf(one) === sinceOf(other)
  );
}

/** The same with the additions that the journal has, so that a lost card can be written again. */
export function ownCardWithEdits(template: Template, run: StartedRun): OwnCard {
  const own = ownCard(template, run);
  const notes = ownNotes(template, run);
  const context = { ...openTasksOn(run), ...notes.context };
  return { ...own, ...notes, context, other: { ...own.other, ...run.card.other } };
}

/** The part of it that a handoff shows; hooks load no more than that. */
export function ownNotes(
  template: Template,
  run: StartedRun,
): Pick<OwnCard, "required_reading" | "key_reminders" | "context"> {
  const { card } = run;
  return {
    required_reading: [...(template.required_reading ?? []), ...card.required_reading],
    key_reminders: [...remindersOf(template, run), ...card.key_reminders],
    context: { ...run.variables, ...card.context },
  };
}

export function phaseOf(template: Template, run: StartedRun): CardPhase {
  const step = run.last?.step ?? template.steps[0]?.id ?? "";
  return phaseAt(template, step, run.status);
}

/** More are only counted, so that the card stays short. */
const mostTasks = 20;

/** The open tasks of a loop that several agents work on, and who has each. */
function openTasksOn(run: StartedRun): OwnCard["context"] {
  const tasks = openTasks(run);
  if (tasks.length === 0) return {};
  const more = tasks.length - mostTasks;
  return { [openTasksKey]: more > 0 ? [...tasks.slice(0, mostTasks), `and ${more} more`] : tasks };
}

/** In the order of the list. */
function openTasks(run: StartedRun): string[] {
  const open = isLive(run) ? run.visits.flatMap((visit) => openTask(run, visit)) : [];
  return open.sort((a, b) => a.index - b.index).map(({ text }) => text);
}

function openTask(run: LiveRun, visit: Visit): { readonly index: number; readonly text: string }[] {
  const { claim, place } = visit;
  if (claim === undefined || place.type !== "sub-step") return [];
  const who = claim === null ? "free" : claim.session === null ? "taken" : `taken by ${claim.session.slice(0, 8)}`;
  const state = canGoOn(run, visit) ? who : "waits for a person";
  return [{ index: place.index, text: `${place.task} · ${place.subStep} · ${state}` }];
}

/** A running gate, until it has ended. The card is not rewritten every second, so it has the time of the start. */
function gateOn(template: Template, run: StartedRun): OwnCard["other"] {
  const visit = checkedVisit(run);
  const since = sinceOf(run);
  if (visit === undefined || since === undefined) return {};
  return { [runningGateKey]: { commands: gateCommands(template, run, visit.place), since } };
}

function checkedVisit(run: StartedRun): Visit | undefined {
  return isLive(run) ? run.visits.find((visit) => processOf(visit) !== null) : undefined;
}

function sinceOf(run: StartedRun): string | undefined {
  const visit = checkedVisit(run);
  return visit === undefined ? undefined : processOf(visit)?.since;
}

/** Carried texts and answers are on the card too, for tools that restore from the card alone. */
function carriedOn({ carried: { pivot }, questions }: StartedRun): OwnCard["other"] {
  const answers = questions.flatMap(({ text, answer }) => (answer === null ? [] : [{ question: text, ...answer }]));
  if (pivot === null && answers.length === 0) return {};
  return { carried: { ...(pivot !== null && { pivot_feedback: pivot }), ...(answers.length > 0 && { answers }) } };
}

/** The template's reminders with values of the run in them. Any other placeholder stays as it is written. */
function remindersOf({ key_reminders: reminders = [] }: Template, run: StartedRun): readonly string[] {
  const values = { id: run.runId, summary: run.summary ?? "" };
  return reminders.map((reminder) =>
    fillText(reminder, (root, name) => {
      const known = root === "vars" ? run.variables : root === "run" ? values : {};
      return ownEntry<string | number | boolean>(known, name)?.toString();
    }),
  );
}
