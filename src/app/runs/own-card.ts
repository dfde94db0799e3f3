import type { CardPhase, OwnCard } from "../../cards/card.ts";
import { phaseAt } from "../../engine/phases.ts";
import type { StartedRun } from "../../model/run.ts";
import type { Template } from "../../model/template.ts";

/** What the run says of its own card; what an agent or a person has added since stands in the card, and in the journal. */
export function ownCard(template: Template, run: StartedRun): OwnCard {
  return {
    workflow: run.workflow,
    workflow_type: run.workflowType,
    phase: phaseOf(template, run),
    created_at: run.startedAt,
    run_id: run.runId,
    required_reading: template.required_reading ?? [],
    key_reminders: template.key_reminders ?? [],
    context: { ...run.variables },
    other: carriedOn(run),
  };
}

/** Whether two states of a run are one to its card, told without making it: by all that `ownCard` reads and that changes. */
export function hasSameCard(one: StartedRun, other: StartedRun): boolean {
  return (
    one.templateHash === other.templateHash &&
    one.status === other.status &&
    one.last?.step === other.last?.step &&
    one.variables === other.variables &&
    one.carried.pivot === other.carried.pivot &&
    one.questions === other.questions
  );
}

/** The same with what the journal knows of such additions: a card that was lost is written anew from it. */
export function ownCardWithEdits(template: Template, run: StartedRun): OwnCard {
  const own = ownCard(template, run);
  const { card } = run;
  return {
    ...own,
    required_reading: [...own.required_reading, ...card.required_reading],
    key_reminders: [...own.key_reminders, ...card.key_reminders],
    context: { ...own.context, ...card.context },
    other: { ...own.other, ...card.other },
  };
}

export function phaseOf(template: Template, run: StartedRun): CardPhase {
  const step = run.last?.step ?? template.steps[0]?.id ?? "";
  return phaseAt(template, step, run.status);
}

/** What must not be lost stands on the card too, for whoever restores from it alone. */
function carriedOn({ carried: { pivot }, questions }: StartedRun): OwnCard["other"] {
  const answers = questions.flatMap(({ text, answer }) => (answer === null ? [] : [{ question: text, ...answer }]));
  if (pivot === null && answers.length === 0) return {};
  return { carried: { ...(pivot !== null && { pivot_feedback: pivot }), ...(answers.length > 0 && { answers }) } };
}
