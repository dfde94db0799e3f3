import { oneLine } from "./data-text.ts";
import type { HandoffFacts } from "./facts.ts";
import { identity, phaseText } from "./sections.ts";

/** For a conversation that may be about something else: one line that names the run and how to take it up. */
export function offerText(facts: HandoffFacts, age: "fresh" | "old"): string {
  const { runId, workflow, summary, others, here } = facts;
  const about = summary === null ? "" : ` ${JSON.stringify(oneLine(summary, 100))}`;
  const where =
    here === null ? `phase ${phaseText(facts)}` : `step ${here.number}/${here.total} ${oneLine(here.step, 100)}`;
  const touched = age === "old" ? `, last touched ${facts.updatedAt.slice(0, 10)}` : "";
  const take = runId === null ? "read its state card" : `call workflow_status with run_id ${oneLine(runId, 100)}`;
  const more = others.length === 0 ? "" : ` (${others.length} more: workflow_list)`;
  return (
    `Holdfast: the workflow ${oneLine(workflow, 100)}${about} is under way in this project, at ${where}${touched}${more}. ` +
    `Only if this conversation is about it, ${take}; otherwise leave it alone.`
  );
}

/** What the summary of a compaction must keep, in few words: the handoff brings the rest back. */
export function keepText(facts: HandoffFacts): string {
  const { here } = facts;
  const within = here?.within ?? null;
  const step =
    here === null ? `phase ${phaseText(facts)}` : `step ${oneLine(here.step, 100)}, visit ${oneLine(here.token, 400)}`;
  const reading = facts.requiredReading.map(({ path }) => oneLine(path, 200)).slice(0, 20);
  const lines = [
    "A Holdfast workflow is under way. Keep in the summary, in these words:",
    `- ${identity(facts)}`,
    `- It continues at ${step}${within === null ? "" : `, ${oneLine(within, 200)}`}; steps done: ${doneText(facts)}.`,
    ...(reading.length === 0 ? [] : [`- Required reading: ${reading.join(" ")}`]),
    "- Decisions made so far and why, open questions, files changed, what was being done at this moment.",
    "Do not invent workflow steps: after the compaction the workflow's state is given again.",
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

/** What is still to do, for an agent that is about to stop. */
export function holdText(facts: HandoffFacts): string {
  const { here, workflow } = facts;
  const where = here === null ? phaseText(facts) : `step ${here.number}/${here.total} ${oneLine(here.step, 100)}`;
  const within = here?.within === null || here === null ? "" : `, ${oneLine(here.within, 200)}`;
  return (
    `The workflow ${oneLine(workflow, 100)} is not complete: it stands at ${where}${within} (visit ${oneLine(here?.token ?? "", 400)}). ` +
    "Go on with it: call workflow_status for the instructions, do them, then call workflow_advance. " +
    "If something keeps you from it, say what, and stop."
  );
}
