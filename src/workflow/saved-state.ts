import { findStep, rulesOf, subStepsOf } from "../engine/rules.ts";
import { tasksOf } from "../engine/view.ts";
import { type Place, tokenOf } from "../model/place.ts";
import { isLive, type LoopFacts, type StartedRun, type Visit } from "../model/run.ts";
import type { Template } from "../model/template.ts";
import type { SavedState, WorkflowState } from "./types.ts";

/** What the adapter itself keeps beside the engine's run. */
export interface Extras {
  readonly outputs: Readonly<Record<string, string>>;
  readonly artefacts: readonly string[];
  readonly contextActionExecuted: boolean;
}

/** The run as a program keeps it. A fresh copy each time. */
export function saveState(template: Template, run: StartedRun, extras: Extras): WorkflowState {
  const place = (isLive(run) ? run.visits[0]?.place : null) ?? run.last ?? { type: "action", step: "" };
  const artefactsWanted = findStep(template, place.step)?.artefacts;
  const title = place.type === "sub-step" ? run.loops[place.step]?.tasks[place.index]?.title : undefined;
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
    tasks: Object.fromEntries(Object.keys(run.loops).map((loop) => [loop, [...tasksOf(run, loop)]])),
    outputs: extras.outputs,
    ...(run.summary !== null && { summary: run.summary }),
    artefacts: [...extras.artefacts],
    ...(artefactsWanted !== undefined && { currentStepArtefacts: artefactsWanted }),
    contextActionExecuted: extras.contextActionExecuted,
  });
}

/** The engine's run for a state that a program kept. `begun` is a fresh run of the same template. */
export function restoreRun(template: Template, begun: StartedRun, saved: SavedState): StartedRun {
  const place = placeOf(template, saved);
  const loops = Object.fromEntries(Object.entries(saved.tasks).map(([id, tasks]) => [id, loopOf(id, tasks, saved)]));
  const facts = { ...begun, loops, last: place, summary: saved.summary ?? null, seq: begun.seq + 1 };
  if (saved.status !== "running") {
    const { visits: _visits, ...ended } = { visits: [], ...facts };
    const over = { ...ended, endedAt: begun.updatedAt };
    return saved.status === "complete"
      ? { ...over, status: "complete" }
      : { ...over, status: "failed", reason: place.step };
  }
  const action = rulesOf(template, place)?.action ?? null;
  const visit: Visit = {
    token: tokenOf(place, 1, 1),
    place,
    number: 1,
    attempt: 1,
    action: action && { name: action, status: saved.contextActionExecuted === true ? "handed-out" : "due" },
    spending: { turns: 0, tokens: 0, minutes: 0, since: begun.updatedAt, continues: 0 },
    approval: "none",
    review: null,
    note: null,
  };
  const steps = { [place.step]: { visits: 1, status: "open" as const, output: null } };
  return { ...facts, status: "running", steps, visits: [visit] };
}

function placeOf(template: Template, saved: SavedState): Place {
  const step = findStep(template, saved.step);
  if (step === undefined) throw new Error(`the saved state is at "${saved.step}", which is no step of this workflow`);
  if (step.type === "action") return { type: "action", step: step.id };
  if (step.type === "ralph") return { type: "ralph", step: step.id, iteration: saved.ralphIteration ?? 1 };
  const { task, subStep } = saved;
  if (task === undefined || subStep === undefined) return { type: "loop", step: step.id };
  if (!subStepsOf(template, step.id).some((known) => known.id === subStep)) {
    throw new Error(`the saved state is at "${subStep}", which is no sub-step of the loop "${step.id}"`);
  }
  return { type: "sub-step", step: step.id, index: task.index, task: task.id, subStep };
}

function loopOf(id: string, tasks: WorkflowState["tasks"][string], saved: SavedState): LoopFacts {
  const statuses = tasks.map((task) => task.status);
  const finished = statuses.filter((status) => status === "done" || status === "failed").length;
  const here = saved.step === id && saved.status === "running";
  const over = tasks.length > 0 && finished === tasks.length;
  return {
    status: over && !here ? "finished" : "set",
    tasks: tasks.map(({ id: taskId, title, description }) => ({
      id: taskId,
      title,
      ...(description !== undefined && { description }),
    })),
    next: here ? (saved.task?.index ?? 0) : finished,
    failed: statuses.flatMap((status, index) => (status === "failed" ? [index] : [])),
  };
}
