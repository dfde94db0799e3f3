import { fillText, type PlaceholderRoot } from "../model/placeholder.ts";
import type { StartedRun, Visit } from "../model/run.ts";
import type { Template } from "../model/template.ts";
import { own } from "./own.ts";
import { findStep, outcomesOf, rulesOf } from "./rules.ts";
import { shorten } from "./shorten.ts";

/** What a text may name that is not in the state: outputs stay in the journal, the project's place on its machine. */
export interface World {
  outputOf(step: string): string | undefined;
  readonly projectRoot: string;
}

const outputLimit = 8_000;

/** Everything the agent is told to do at this visit. */
export function instruct(template: Template, run: StartedRun, visit: Visit, world: World): string {
  const rules = rulesOf(template, visit.place);
  const body = fillText((rules?.instructions ?? "").trimEnd(), (root, name) => readName(run, visit, world, root, name));
  const agent = rules?.agent ?? null;
  return [
    agent === null ? "" : `SPAWN the agent "${agent}" for this step and give it these instructions:`,
    body,
    visit.place.type === "loop" ? askForTasks(visit.place.step) : "",
    ralphText(template, visit),
    noteText(visit),
    reminder(template, run, visit),
  ]
    .filter((part) => part !== "")
    .join("\n\n");
}

export function endedText(run: StartedRun): string {
  switch (run.status) {
    case "complete":
      return "Workflow complete.";
    case "failed":
      return `Workflow failed at ${run.reason}`;
    case "aborted":
      return `Workflow aborted: ${run.reason}`;
    case "running":
    case "waiting":
    case "review":
    case "paused":
      return "No visit is open.";
  }
}

function readName(run: StartedRun, visit: Visit, world: World, root: PlaceholderRoot, name: string): string {
  switch (root) {
    case "project_root":
      return world.projectRoot;
    case "run":
      return name === "id" ? run.runId : (run.summary ?? "");
    case "vars":
      return String(own(run.variables, name) ?? "");
    case "outputs":
      return shorten(world.outputOf(name) ?? "(no output yet)", outputLimit);
    case "task":
      return taskValue(run, visit, name);
  }
}

function taskValue(run: StartedRun, { place }: Visit, name: string): string {
  if (place.type !== "sub-step") return "";
  const task = own(run.loops, place.step)?.tasks[place.index];
  if (name === "id") return place.task;
  return (name === "title" ? task?.title : task?.description) ?? "";
}

function askForTasks(loop: string): string {
  return (
    `This step goes over a list of tasks. Set the tasks of the loop "${loop}" with workflow_set_tasks ` +
    "(each with an id and a title); an empty list skips the step."
  );
}

function ralphText(template: Template, { place }: Visit): string {
  const step = findStep(template, place.step);
  if (place.type !== "ralph" || step?.type !== "ralph") return "";
  const banner = `[Iteration ${place.iteration} of ${step.n}]`;
  if (place.iteration === 1) {
    return step.n === 1 ? banner : `${banner}\nThe same task comes ${step.n} times, so that each pass can improve it.`;
  }
  return `${banner}\nThis is the same task again: improve it, do not skip it. Look at what the last pass left weak.`;
}

/** A note comes from outside the template, so it is quoted: it informs and does not instruct. */
function noteText({ note }: Visit): string {
  if (note === null) return "";
  return `${noteHeads[note.from]}\n${note.text.replace(/^/gm, "> ")}`;
}

const noteHeads = {
  approval: "A person refused to approve this step and said:",
  review: "A person reviewed the spent budget and said:",
  failure: "The last attempt failed, for this reason:",
  gate: "The gate did not hold when it was last checked:",
} as const;

function reminder(template: Template, run: StartedRun, visit: Visit): string {
  switch (run.status) {
    case "running": {
      if (visit.place.type === "loop") return "";
      const outcomes = outcomesOf(template, visit.place);
      const choice = outcomes === null ? "" : ` and one of the outcomes ${Object.keys(outcomes).join(", ")}`;
      return `When this is done, call workflow_advance with a short account of it${choice}.`;
    }
    case "waiting":
      return "This step waits for a person's approval. When it is given, call workflow_advance again.";
    case "review":
      return "The budget of this step is spent. A person decides how it goes on; do not work on it until then.";
    case "paused":
      return "The run is paused. A person resumes it; do not work on it until then.";
    case "complete":
    case "failed":
    case "aborted":
      return "";
  }
}
