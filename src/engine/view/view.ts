import { ownEntry } from "../../model/json.ts";
import type { Place } from "../../model/place.ts";
import type { StartedRun, Visit } from "../../model/run.ts";
import { isLive, openQuestion } from "../../model/run-state.ts";
import type { Status } from "../../model/status.ts";
import type { Task, TaskStatus } from "../../model/task.ts";
import type { Template } from "../../model/template.ts";
import { countsOf, hasEnded } from "../loop-state.ts";
import { findStep, outcomesOf, phaseAt, stepSettings, subStepsOf } from "../step-settings.ts";
import { failureVerdicts } from "../verdicts.ts";
import { instruct, type World } from "./instructions.ts";
import { betweenTasks } from "./open-tasks.ts";

/** The status of a run, as seen from one of its open visits; without a visit, as seen from its end. */
export function view(template: Template, run: StartedRun, visit: Visit | null, world: World): Status {
  const place = visit?.place ?? run.last ?? { type: "action", step: template.steps[0]?.id ?? "" };
  const { agent = null, hints = {} } = (visit === null ? null : stepSettings(template, place)) ?? {};
  const task = visit !== null && place.type === "sub-step" ? taskAt(template, run, place) : null;
  return {
    runId: run.runId,
    workflow: run.workflow,
    status: run.status,
    step: place.step,
    stepType: place.type === "sub-step" ? "loop" : place.type,
    phase: phaseAt(template, place.step, run.status),
    agent,
    delegate: agent !== null,
    ...(Object.keys(hints).length > 0 && { hints }),
    instructions: visit === null ? textWithoutVisit(run, world) : instruct(template, run, visit, world),
    progress: progressAt(template, run, place, task),
    ...(task !== null && { task }),
    ...(visit !== null && detailsOf(template, run, visit)),
    ...(isLive(run) && run.parked && { parked: run.parked }),
    ...(run.usage && { usage: run.usage }),
    ...(run.summary !== null && { summary: run.summary }),
    artefacts: [...run.artefacts],
    token: visit?.token ?? null,
  };
}

function textWithoutVisit(run: StartedRun, world: World): string {
  const isShared = isLive(run) && run.visits.some(({ claim }) => claim !== undefined);
  return isShared ? betweenTasks(run, world) : endedText(run);
}

/** A loop's tasks, each with its status. */
export function tasksOf(run: StartedRun, loop: string): readonly (Task & { readonly status: TaskStatus })[] {
  const facts = ownEntry(run.loops, loop);
  if (facts === undefined) return [];
  const begun = isLive(run) ? run.visits.filter(({ claim }) => claim !== null) : [];
  const open = new Set(begun.flatMap(({ place }) => openIndex(place, loop)));
  const failed = new Set(facts.failed);
  const skipped = new Set(facts.skipped);
  const statusOf = (index: number): TaskStatus => {
    if (open.has(index)) return "in_progress";
    if (failed.has(index)) return "failed";
    if (skipped.has(index)) return "skipped";
    return hasEnded(facts, index) ? "done" : "pending";
  };
  return facts.tasks.map((task, index) => ({ ...task, status: statusOf(index) }));
}

/** The index of the task that a place is at, if it is one of this loop. */
export function openIndex(place: Place, loop: string): number[] {
  return place.type === "sub-step" && place.step === loop ? [place.index] : [];
}

function progressAt(
  template: Template,
  run: StartedRun,
  place: Place,
  task: ReturnType<typeof taskAt> | null,
): Status["progress"] {
  const totalSteps = template.steps.length;
  const currentStep = template.steps.findIndex((step) => step.id === place.step) + 1;
  if (place.type !== "loop" && place.type !== "sub-step") return { currentStep, totalSteps };
  const facts = ownEntry(run.loops, place.step);
  const { done: completedTasks, total: totalTasks } = facts === undefined ? { done: 0, total: 0 } : countsOf(facts);
  if (task === null) return { currentStep, totalSteps, completedTasks, totalTasks };
  const { index, total, subStepIndex, totalSubSteps } = task;
  const currentTaskProgress = `Task ${index + 1}/${total}, Sub-step ${subStepIndex + 1}/${totalSubSteps}`;
  return { currentStep, totalSteps, completedTasks, totalTasks, currentTaskProgress };
}

function detailsOf(template: Template, run: StartedRun, visit: Visit): Partial<Status> {
  const { place, token, pending, review, reviewOf } = visit;
  const outcomes = outcomesOf(template, place);
  const question = openQuestion(run, token);
  return {
    ...(place.type === "ralph" && iterationOf(template, place)),
    ...(outcomes !== null && { outcomes: Object.keys(outcomes) }),
    ...(pending && { decision: { ...pending, verdicts: [...failureVerdicts] } }),
    ...(review && { review: { spent: review, of: reviewOf ?? "step" } }),
    ...(question && { question: { id: question.id, text: question.text } }),
  };
}

function iterationOf(template: Template, { step: id, iteration }: Extract<Place, { type: "ralph" }>): Partial<Status> {
  const step = findStep(template, id);
  return step?.type === "ralph" ? { ralphIteration: iteration, ralphTotal: step.n } : {};
}

function taskAt(template: Template, run: StartedRun, place: Extract<Place, { type: "sub-step" }>) {
  const tasks = ownEntry(run.loops, place.step)?.tasks ?? [];
  const { id, title, description } = tasks[place.index] ?? {
    id: place.task,
    title: place.task,
    description: undefined,
  };
  const subSteps = subStepsOf(template, place.step);
  return {
    id,
    title,
    ...(description !== undefined && { description }),
    index: place.index,
    total: tasks.length,
    subStep: place.subStep,
    subStepIndex: subSteps.findIndex((subStep) => subStep.id === place.subStep),
    totalSubSteps: subSteps.length,
  };
}

function endedText(run: StartedRun): string {
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
