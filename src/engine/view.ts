import { isLive } from "../model/live.ts";
import type { Place } from "../model/place.ts";
import type { StartedRun, Visit } from "../model/run.ts";
import type { Status } from "../model/status.ts";
import type { Task, TaskStatus } from "../model/task.ts";
import type { Template } from "../model/template.ts";
import { endedText, instruct, type World } from "./instructions.ts";
import { openQuestion } from "./open-question.ts";
import { own } from "./own.ts";
import { phaseAt } from "./phases.ts";
import { findStep, outcomesOf, rulesOf, subStepsOf } from "./rules.ts";

/** Where a run stands, seen from one of its open visits; from its end when none is open. */
export function view(template: Template, run: StartedRun, visit: Visit | null, world: World): Status {
  const place = visit?.place ?? run.last ?? { type: "action", step: template.steps[0]?.id ?? "" };
  const rules = visit === null ? null : rulesOf(template, place);
  const agent = rules?.agent ?? null;
  const outcomes = visit === null ? null : outcomesOf(template, place);
  const question = visit === null ? null : openQuestion(run, visit.token);
  return {
    runId: run.runId,
    workflow: run.workflow,
    status: run.status,
    step: place.step,
    stepType: place.type === "sub-step" ? "loop" : place.type,
    phase: phaseAt(template, place.step, run.status),
    agent,
    delegate: agent !== null,
    instructions: visit === null ? endedText(run) : instruct(template, run, visit, world),
    progress: progressAt(template, run, place, visit !== null),
    ...(visit !== null && detailsOf(template, run, place)),
    ...(outcomes !== null && { outcomes: Object.keys(outcomes) }),
    ...(question && { question: { id: question.id, text: question.text } }),
    ...(run.summary !== null && { summary: run.summary }),
    artefacts: [...run.artefacts],
    token: visit?.token ?? null,
  };
}

/** A loop's list with where each task stands. */
export function tasksOf(run: StartedRun, loop: string): readonly (Task & { readonly status: TaskStatus })[] {
  const facts = own(run.loops, loop);
  if (facts === undefined) return [];
  const open = new Set(isLive(run) ? run.visits.flatMap(({ place }) => openIndex(place, loop)) : []);
  const failed = new Set(facts.failed);
  const statusOf = (index: number): TaskStatus => {
    if (open.has(index)) return "in_progress";
    if (failed.has(index)) return "failed";
    return index < facts.next ? "done" : "pending";
  };
  return facts.tasks.map((task, index) => ({ ...task, status: statusOf(index) }));
}

function openIndex(place: Place, loop: string): number[] {
  return place.type === "sub-step" && place.step === loop ? [place.index] : [];
}

function progressAt(template: Template, run: StartedRun, place: Place, open: boolean): Status["progress"] {
  const totalSteps = template.steps.length;
  const currentStep = template.steps.findIndex((step) => step.id === place.step) + 1;
  if (place.type !== "loop" && place.type !== "sub-step") return { currentStep, totalSteps };
  const facts = own(run.loops, place.step);
  const counts = {
    completedTasks: facts === undefined ? 0 : facts.next - facts.failed.length,
    totalTasks: facts?.tasks.length ?? 0,
  };
  if (place.type === "loop" || !open) return { currentStep, totalSteps, ...counts };
  const { index, total, subStepIndex, totalSubSteps } = taskAt(template, run, place);
  const currentTaskProgress = `Task ${index + 1}/${total}, Sub-step ${subStepIndex + 1}/${totalSubSteps}`;
  return { currentStep, totalSteps, ...counts, currentTaskProgress };
}

function detailsOf(template: Template, run: StartedRun, place: Place): Partial<Status> {
  if (place.type === "sub-step") return { task: taskAt(template, run, place) };
  const step = findStep(template, place.step);
  if (place.type !== "ralph" || step?.type !== "ralph") return {};
  return { ralphIteration: place.iteration, ralphTotal: step.n };
}

function taskAt(template: Template, run: StartedRun, place: Extract<Place, { type: "sub-step" }>) {
  const tasks = own(run.loops, place.step)?.tasks ?? [];
  const task = tasks[place.index] ?? { id: place.task, title: place.task };
  const subSteps = subStepsOf(template, place.step);
  return {
    ...task,
    index: place.index,
    total: tasks.length,
    subStep: place.subStep,
    subStepIndex: subSteps.findIndex((subStep) => subStep.id === place.subStep),
    totalSubSteps: subSteps.length,
  };
}
