import { endOf, hasEnded } from "../../../engine/loop-state.ts";
import { subStepsOf } from "../../../engine/step-settings.ts";
import { openIndex } from "../../../engine/view/view.ts";
import type { DoneItem } from "../../../handoff/facts.ts";
import { latestOutput } from "../../../journal/outputs.ts";
import type { Standing } from "../../../journal/run-journal.ts";
import { ownEntry } from "../../../model/json.ts";
import type { LoopFacts, StartedRun, Visit } from "../../../model/run.ts";
import { isLive } from "../../../model/run-state.ts";
import type { Template } from "../../../model/template.ts";
import type { ContinuityPorts } from "../ports/ports.ts";

/** Older steps are listed without their output, because each output costs a read of the journal. */
const mostOutputs = 12;
const mostTasks = 100;

/**
 * The finished steps, each with the first line of its output, and the finished parts of the current step. In a loop that
 * several agents work on, only those of the visit's own task.
 */
export async function doneItems(
  ports: Pick<ContinuityPorts, "roots" | "journal">,
  standing: Standing,
  template: Template,
  visit: Visit | null,
): Promise<DoneItem[]> {
  const { run } = standing;
  const statusOf = (step: string) => (Object.hasOwn(run.steps, step) ? run.steps[step]?.status : undefined);
  const done = template.steps.filter(({ id }) => statusOf(id) === "done").map(({ id }) => id);
  const abouts = new Map<string, string>();
  for (const step of done.slice(-mostOutputs)) {
    abouts.set(step, firstLine((await latestOutput(ports, standing, step)) ?? ""));
  }
  return template.steps.flatMap(({ id: step }, index) => {
    const number = index + 1;
    const within = visit?.place.step === step ? doneWithin(template, run, visit, number) : [];
    if (statusOf(step) === "skipped") return [{ number, step, about: "(skipped)" }, ...within];
    if (!done.includes(step)) return within;
    const { visits = 1, outcome } = run.steps[step] ?? {};
    const about = `${notDoneText(run, step)}${abouts.get(step) ?? ""}${visits > 1 ? ` (${visits} visits)` : ""}`;
    return [{ number, step, about, ...(outcome !== undefined && { outcome }) }, ...within];
  });
}

/** The tasks that a loop went on without. */
function notDoneText({ loops }: StartedRun, step: string): string {
  const loop = ownEntry(loops, step);
  if (loop === undefined) return "";
  const named = (word: string, indexes: readonly number[] = []) => {
    const ids = indexes.slice(0, mostNamed).flatMap((index) => loop.tasks[index]?.id ?? []);
    const more = indexes.length > mostNamed ? ` and ${indexes.length - mostNamed} more` : "";
    return indexes.length === 0 ? [] : [`${word} ${ids.join(", ")}${more}`];
  };
  const parts = [...named("failed:", loop.failed), ...named("skipped:", loop.skipped)];
  return parts.length === 0 ? "" : `(${parts.join("; ")}) `;
}

const mostNamed = 5;

function doneWithin(template: Template, run: StartedRun, visit: Visit, number: number): DoneItem[] {
  const { place } = visit;
  const { step } = place;
  if (place.type === "ralph" && place.iteration > 1) {
    return [{ number, step, about: `iterations 1 to ${place.iteration - 1}` }];
  }
  const loop = ownEntry(run.loops, step);
  if (loop === undefined) return [];
  // It has been entered again and waits for tasks: those of the last time are done.
  if (place.type === "loop")
    return endedTasks(loop, []).map((index) => ({ number, step, about: taskText(loop, index) }));
  if (place.type !== "sub-step") return [];
  const open = isLive(run) ? run.visits.flatMap((visit) => openIndex(visit.place, step)) : [];
  const isShared = visit.claim !== undefined;
  const ended = isShared ? [] : endedTasks(loop, open).map((index) => ({ number, step, about: taskText(loop, index) }));
  const subSteps = subStepsOf(template, step).map(({ id }) => id);
  const before = subSteps.slice(0, subSteps.indexOf(place.subStep));
  const inTask = before.length === 0 ? [] : [{ number, step, about: `task ${place.index + 1}: ${before.join(", ")}` }];
  return [...ended, ...inTask];
}

/** The last of them, in the order of the list. */
function endedTasks(loop: LoopFacts, open: readonly number[]): number[] {
  const found: number[] = [];
  // A loop may have thousands of tasks, so only those are looked at that are shown.
  for (let index = endOfLast(loop); index >= 0 && found.length < mostTasks; index--) {
    if (hasEnded(loop, index) && !open.includes(index)) found.push(index);
  }
  return found.reverse();
}

/** No task from this index on has ended. */
function endOfLast({ next, ahead = [] }: LoopFacts): number {
  return ahead.at(-1)?.[1] ?? next;
}

function taskText(loop: LoopFacts, index: number): string {
  const { title = "" } = loop.tasks[index] ?? {};
  const end = endOf(loop, index);
  return `task ${index + 1}/${loop.tasks.length} "${title}"${end === "done" ? "" : ` (${end})`}`;
}

function firstLine(text: string): string {
  return text.trim().split("\n", 1)[0] ?? "";
}
