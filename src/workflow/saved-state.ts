import { failureNote } from "../engine/evolve/evolve-visits.ts";
import { findStep, stepSettings, subStepsOf } from "../engine/step-settings.ts";
import { tasksOf } from "../engine/view/view.ts";
import { ownEntry } from "../model/json.ts";
import type { Place } from "../model/place.ts";
import type { LoopFacts, StartedRun, Visit } from "../model/run.ts";
import { isLive, outputKey, tokenOf } from "../model/run-state.ts";
import type { Template } from "../model/template.ts";
import type { SavedState, WorkflowState } from "./types.ts";

/** What the state machine keeps besides the engine's run. */
export interface Extras {
  readonly outputs: Readonly<Record<string, string>>;
  readonly artefacts: readonly string[];
  readonly contextActionExecuted: boolean;
}

/** The run in the shape that programs save. Returns a new copy each time. */
export function saveState(template: Template, run: StartedRun, extras: Extras): WorkflowState {
  const visit = isLive(run) ? run.visits[0] : undefined;
  const place = visit?.place ?? run.last ?? { type: "action", step: "" };
  const artefactsWanted = findStep(template, place.step)?.artefacts;
  const title = place.type === "sub-step" ? ownEntry(run.loops, place.step)?.tasks[place.index]?.title : undefined;
  return structuredClone({
    status: isLive(run) ? "running" : run.status === "complete" ? "complete" : "failed",
    step: place.step,
    stepType: place.type === "sub-step" ? "loop" : place.type,
    ...(isLive(run) &&
      place.type === "sub-step" && {
        task: { index: place.index, id: place.task, title: title ?? place.task },
        subStep: place.subStep,
      }),
    ...(isLive(run) && place.type === "ralph" && { ralphIteration: place.iteration }),
    tasks: Object.fromEntries(keptLoops(run).map((loop) => [loop, [...tasksOf(run, loop)]])),
    outputs: extras.outputs,
    ...(run.summary !== null && { summary: run.summary }),
    artefacts: [...extras.artefacts],
    ...(artefactsWanted !== undefined && { currentStepArtefacts: artefactsWanted }),
    contextActionExecuted: extras.contextActionExecuted,
    ...(visit?.action && stepSettings(template, place)?.action === null && { contextAction: visit.action.name }),
    ...(visit && visit.attempt > 1 && { attempt: visit.attempt }),
    ...stepsOf(template, run),
    ...failuresOf(run, visit),
    ...(run.status === "failed" && { reason: run.reason }),
    workflow_definition: template,
  });
}

/** For the conditions of later steps. */
function stepsOf(template: Template, { steps }: StartedRun): Pick<SavedState, "outcomes" | "steps"> {
  const outcomes = Object.entries(steps).flatMap(([id, { outcome }]) => (outcome === undefined ? [] : [[id, outcome]]));
  return {
    ...(outcomes.length > 0 && { outcomes: Object.fromEntries(outcomes) }),
    ...(readsSteps(template) && { steps }),
  };
}

function readsSteps({ steps, loops = {} }: Template): boolean {
  return [...steps, ...Object.values(loops).flat()].some(({ when }) => when?.includes("steps"));
}

function failuresOf({ jumps }: StartedRun, visit: Visit | undefined): Pick<SavedState, "jumps" | "failedStep"> {
  const note = visit?.note?.from === "failed-step" ? { failedStep: visit.note.text } : {};
  return jumps === undefined ? note : { jumps, ...note };
}

/** A skipped loop is saved like one whose tasks were never set: if the run returns to it, it asks for tasks. */
function keptLoops({ loops }: StartedRun): string[] {
  return Object.keys(loops).filter((id) => loops[id]?.status === "set" || loops[id]?.tasks.length !== 0);
}

function noteOf({ failedStep }: SavedState): Visit["note"] {
  return failedStep === undefined ? null : { from: "failed-step", text: failedStep };
}

/** The engine's run for a saved state. `begun` is a new run of the same template. */
export function restoreRun(template: Template, begun: StartedRun, saved: SavedState): StartedRun {
  const place = placeOf(template, saved);
  const loops = Object.fromEntries(Object.entries(saved.tasks).map(([id, tasks]) => [id, loopOf(id, tasks, saved)]));
  const left = { visits: 1, status: "left" as const };
  const ended = Object.entries(saved.outcomes ?? {}).map(([id, outcome]) => [id, { ...left, outcome }]);
  const steps: StartedRun["steps"] = saved.steps ?? Object.fromEntries(ended);
  const jumps = saved.jumps === undefined ? {} : { jumps: saved.jumps };
  const facts = { ...begun, ...jumps, loops, steps, last: place, summary: saved.summary ?? null, seq: begun.seq + 1 };
  if (saved.status !== "running") {
    const { visits: _visits, ...rest } = { visits: [], ...facts };
    const over = { ...rest, endedAt: begun.updatedAt };
    return saved.status === "complete"
      ? { ...over, status: "complete" }
      : { ...over, status: "failed", reason: saved.reason ?? place.step };
  }
  const action = saved.contextAction ?? stepSettings(template, place)?.action ?? null;
  const attempt = saved.attempt ?? 1;
  const number = Math.max(1, ownEntry(steps, place.step)?.visits ?? 1);
  const visit: Visit = {
    token: tokenOf(place, number, attempt),
    place,
    number,
    attempt,
    action: action && { name: action, status: saved.contextActionExecuted === true ? "handed-out" : "due" },
    spending: { turns: 0, tokens: 0, minutes: 0, since: begun.updatedAt, continues: 0 },
    approval: "none",
    checking: null,
    review: null,
    note: attempt === 1 ? noteOf(saved) : failureNote(saved.outputs[outputKey(place)] ?? ""),
  };
  const here = { ...ownEntry(steps, place.step), visits: number, status: "open" as const };
  return { ...facts, status: "running", steps: { ...steps, [place.step]: here }, visits: [visit] };
}

function placeOf(template: Template, saved: SavedState): Place {
  const step = findStep(template, saved.step);
  if (step === undefined)
    throw new Error(`the saved state is at "${saved.step}", which is not a step of this workflow`);
  if (step.type === "action" || step.type === "command") return { type: step.type, step: step.id };
  if (step.type === "ralph") return { type: "ralph", step: step.id, iteration: saved.ralphIteration ?? 1 };
  const { task, subStep } = saved;
  const isSource = step.tasks !== undefined && saved.stepType === "command";
  if (task === undefined || subStep === undefined) return { type: isSource ? "command" : "loop", step: step.id };
  if (!subStepsOf(template, step.id).some((known) => known.id === subStep)) {
    throw new Error(`the saved state is at "${subStep}", which is not a sub-step of the loop "${step.id}"`);
  }
  return { type: "sub-step", step: step.id, index: task.index, task: task.id, subStep };
}

function loopOf(id: string, tasks: WorkflowState["tasks"][string], saved: SavedState): LoopFacts {
  const statuses = tasks.map((task) => task.status);
  const finished = statuses.filter((status) => status === "done" || status === "failed").length;
  const current = saved.step === id && saved.status === "running" ? saved.task : undefined;
  const over = tasks.length > 0 && finished === tasks.length && current === undefined;
  return {
    status: over ? "finished" : "set",
    tasks: tasks.map(({ status: _status, ...task }) => task),
    next: current?.index ?? finished,
    failed: statuses.flatMap((status, index) => (status === "failed" ? [index] : [])),
  };
}
