import { countsOf } from "../../../engine/loop-state.ts";
import type { OwnTask, SharedTasks } from "../../../handoff/facts.ts";
import { personWait } from "../../../handoff/short-texts.ts";
import { ownEntry } from "../../../model/json.ts";
import type { LiveRun, Visit } from "../../../model/run.ts";
import { claimsOf } from "../../../model/run-state.ts";
import type { Template } from "../../../model/template.ts";

/** What a session may know of a loop that several agents work on. Of the tasks of others only their number: nobody is to take up their work. */
export function sharedTasks(template: Template, run: LiveRun, loop: string, session: string): SharedTasks {
  const facts = ownEntry(run.loops, loop);
  const own = claimsOf(run, session);
  return {
    loop,
    number: template.steps.findIndex(({ id }) => id === loop) + 1,
    steps: template.steps.length,
    ...(facts === undefined ? { done: 0, failed: 0, skipped: 0, total: 0 } : countsOf(facts)),
    taken: run.visits.filter(({ claim }) => claim != null).length - own.length,
    free: run.visits.filter(({ claim }) => claim === null).length,
    own: own.map((visit) => ownTask(run, visit)),
  };
}

function ownTask(run: LiveRun, visit: Visit): OwnTask {
  const { place, token } = visit;
  const task = place.type === "sub-step" ? ownEntry(run.loops, place.step)?.tasks[place.index] : undefined;
  const [id, subStep] = place.type === "sub-step" ? [place.task, place.subStep] : ["", ""];
  return { id, title: task?.title ?? id, subStep, token, waiting: personWait(run, visit) };
}
