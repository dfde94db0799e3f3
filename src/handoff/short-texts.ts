import { oneLine } from "./data-text.ts";
import type { HandoffFacts } from "./facts.ts";
import { identity, phaseText } from "./sections.ts";

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
    `Holdfast: the workflow ${oneLine(workflow, 100)}${about} is in progress in this project, at ${stepText(facts)}${updated}${more}. ` +
    `If this conversation is about it, ${next} first; otherwise leave it alone.`
  );
}

/** For the person, after a loss of context: which workflow goes on, and where. */
export function restoredNotice(facts: HandoffFacts): string {
  return `Holdfast: ${oneLine(facts.workflow, 100)}, ${stepText(facts)}`;
}

function stepText(facts: HandoffFacts): string {
  const { here } = facts;
  return here === null ? `phase ${phaseText(facts)}` : `step ${here.number}/${here.total} ${oneLine(here.step, 100)}`;
}

/** For a subagent whose context was compacted. */
export const subagentText =
  "Holdfast: you are a subagent. Go on with the task you were given; the workflow of this project is the main agent's.";

/** Tells a host what its compaction summary must keep. Short, because the handoff restores the rest. */
export function compactionInstructions(facts: HandoffFacts): string {
  const { here } = facts;
  const within = here?.within ?? null;
  const step =
    here === null ? `phase ${phaseText(facts)}` : `step ${oneLine(here.step, 100)}, visit ${oneLine(here.token, 400)}`;
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
  const { here, workflow } = facts;
  const where = here === null ? phaseText(facts) : `step ${here.number}/${here.total} ${oneLine(here.step, 100)}`;
  const within = here?.within === null || here === null ? "" : `, ${oneLine(here.within, 200)}`;
  return (
    `The workflow ${oneLine(workflow, 100)} is not complete: it is at ${where}${within} (visit ${oneLine(here?.token ?? "", 400)}). ` +
    "Continue: call workflow_status for the instructions, follow them, then call workflow_advance. " +
    "If something blocks you, say what and stop."
  );
}
