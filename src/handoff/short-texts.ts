import type { LiveRun, Visit } from "../model/run.ts";
import { openQuestion, waitsForApproval } from "../model/run-state.ts";
import { asOfText } from "../model/time.ts";
import { oneLine } from "./data-text.ts";
import type { HandoffFacts, SharedTasks } from "./facts.ts";
import { hereSection, identity, phaseText } from "./sections.ts";
import { loopPlace } from "./task-lines.ts";

/** For a conversation that may be about something else: one line that names the run and how to continue it. */
export function offerText(facts: HandoffFacts, age: "fresh" | "old"): string {
  const { runId, workflow, summary, others } = facts;
  const about = summary === null ? "" : ` ${JSON.stringify(oneLine(summary, 100))}`;
  const updated = age === "old" ? `, last updated ${facts.updatedAt.slice(0, 10)}` : "";
  const next =
    runId === null
      ? `read @${oneLine(facts.stateFile ?? "", 300)}`
      : `call workflow_status with run_id ${oneLine(runId, 100)}`;
  const more = others.length === 0 ? "" : ` (${others.length} more${runId === null ? "" : ": workflow_list"})`;
  return (
    `Holdfast: the workflow ${oneLine(workflow, 100)}${about} is in progress in this project, at ${stepText(facts)}${updated}${asOfPart(facts)}${more}. ` +
    `If this conversation is about it, ${next} first; otherwise leave it alone.`
  );
}

/** For a conversation whose run somebody has removed from the shared store. */
export function removedText(runId: string): string {
  return `Holdfast: the run ${runId} of this conversation was removed by the team, so do not go on with it. A copy is left in .holdfast/runs/${runId}.`;
}

/** For the person, after a loss of context: which workflow goes on, and where. */
export function restoredNotice(facts: HandoffFacts): string {
  return `Holdfast: ${oneLine(facts.workflow, 100)}, ${stepText(facts)}${asOfPart(facts)}`;
}

/** What an agent must wait for at a visit until a person has decided; null if it can go on. */
export function personWait(run: LiveRun, visit: Visit): string | null {
  if (run.status === "paused") return "The run is paused: do nothing until a person resumes it.";
  if (visit.review !== null) return "The budget is spent: do nothing until a person decides how to continue.";
  if (visit.pending !== undefined) {
    return `The step ${visit.pending.why === "failed" ? "has failed" : "was interrupted"}: do nothing until a person decides with holdfast decide.`;
  }
  const question = openQuestion(run, visit.token);
  if (question !== null) {
    return `Waiting for the answer to ${question.id}: ask the person, pass their answer on with answer_question, do nothing until then.`;
  }
  return waitsForApproval(visit) ? "Waiting for a person's approval: do nothing until it is given." : null;
}

function asOfPart({ copy }: HandoffFacts): string {
  return copy === undefined ? "" : `, ${asOfText(copy.asOf)}`;
}

function stepText(facts: HandoffFacts): string {
  return whereText(facts) ?? `phase ${phaseText(facts)}`;
}

/** Null if only the phase is known. */
function whereText({ here, tasks }: HandoffFacts): string | null {
  if (here !== null) return `step ${here.number}/${here.total} ${oneLine(here.step, 100)}`;
  return tasks && loopPlace(tasks);
}

/** For a subagent whose context was compacted. */
export const subagentText =
  "Holdfast: you are a subagent. Go on with the task you were given; the workflow of this project is the main agent's.";

/** For a subagent that works on a task of the run: its own visit, and nothing else of the run. */
export function subagentHandoff(facts: HandoffFacts): string {
  const { here, runId } = facts;
  const task = hereSection({ ...facts, tasks: null }, null).forms.find(({ length }) => length < longestVisit) ?? "";
  const run = `run_id ${oneLine(runId ?? "", 100)}, token ${oneLine(here?.token ?? "", 400)}`;
  return [
    "Holdfast: you are a subagent, and this is the task of the workflow that you were given. Go on with it; do not start over.",
    task,
    `Send ${run} with every workflow call. The other tasks are not yours.`,
  ].join("\n");
}

/** In characters; less than any host accepts. */
const longestVisit = 6_000;

/** Tells a host what its compaction summary must keep. Short, because the handoff restores the rest. */
export function compactionInstructions(facts: HandoffFacts): string {
  const { here, tasks } = facts;
  const within = here?.within ?? null;
  const own = tasks === null ? phaseText(facts) : `${phaseText(facts)}, ${ownText(tasks)}`;
  const step = here === null ? `phase ${own}` : `step ${oneLine(here.step, 100)}, visit ${oneLine(here.token, 400)}`;
  const reading = facts.requiredReading.map(({ path }) => oneLine(path, 200)).slice(0, 20);
  const lines = [
    "A Holdfast workflow is in progress. Keep in the summary, word for word:",
    `- ${identity(facts)}`,
    `- It continues at ${step}${within === null ? "" : `, ${oneLine(within, 200)}`}; steps done: ${doneText(facts)}.`,
    ...(reading.length === 0 ? [] : [`- Required reading: ${reading.join(" ")}`]),
    "Keep too: decisions and their reasons, open questions, changed files, what you were doing just now.",
    "Do not invent workflow steps: the workflow's state is provided again after the compaction.",
  ];
  return `${lines.join("\n")}\n`;
}

function ownText({ own }: SharedTasks): string {
  if (own.length === 0) return "where this conversation has no task";
  const named = own.slice(0, mostTasks).map(({ id, token }) => `${oneLine(id, 100)} (visit ${oneLine(token, 400)})`);
  const more = own.length > mostTasks ? ` and ${own.length - mostTasks} more` : "";
  return `where this conversation has the tasks ${named.join(", ")}${more}`;
}

/** More are only counted. */
const mostTasks = 10;

function doneText({ done }: HandoffFacts): string {
  return done.length === 0
    ? "none"
    : done
        .map(({ step }) => oneLine(step, 60))
        .slice(-20)
        .join(", ");
}

/** Tells an agent that is about to stop what is still to do. */
export function holdText(facts: HandoffFacts): string {
  const { here, tasks, workflow } = facts;
  const within = here?.within === null || here === null ? "" : `, ${oneLine(here.within, 200)}`;
  const own = here === null && tasks !== null ? `, ${ownText(tasks)}` : ` (visit ${oneLine(here?.token ?? "", 400)})`;
  const which = here === null && tasks !== null ? "with one of them as task " : "";
  return (
    `The workflow ${oneLine(workflow, 100)} is not complete: it is at ${whereText(facts) ?? phaseText(facts)}${within}${own}. ` +
    `Continue: call workflow_status ${which}for the instructions, follow them, then call workflow_advance. ` +
    "If something blocks you, say what and stop."
  );
}
