import { subStepsOf } from "../../../engine/step-settings.ts";
import { openIndex } from "../../../engine/view/view.ts";
import type { DoneItem } from "../../../handoff/facts.ts";
import { latestOutput } from "../../../journal/outputs.ts";
import type { Standing } from "../../../journal/run-journal.ts";
import { ownEntry } from "../../../model/json.ts";
import type { StartedRun, Visit } from "../../../model/run.ts";
import { isLive } from "../../../model/run-state.ts";
import type { Template } from "../../../model/template.ts";
import type { ContinuityPorts } from "../ports/ports.ts";

/** Older steps are listed without their output, because each output costs a read of the journal. */
const mostOutputs = 12;
const mostTasks = 100;

/** The finished steps, each with the first line of its output, and the finished parts of the current step. */
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
    const visits = run.steps[step]?.visits ?? 1;
    const about = `${abouts.get(step) ?? ""}${visits > 1 ? ` (${visits} visits)` : ""}`;
    return [{ number, step, about }, ...within];
  });
}

function doneWithin(template: Template, run: StartedRun, { place }: Visit, number: number): DoneItem[] {
  const { step } = place;
  if (place.type === "ralph" && place.iteration > 1) {
    return [{ number, step, about: `iterations 1 to ${place.iteration - 1}` }];
  }
  if (place.type !== "sub-step") return [];
  const loop = ownEntry(run.loops, step);
  if (loop === undefined) return [];
  const { tasks, next, failed } = loop;
  const open = isLive(run) ? run.visits.flatMap((visit) => openIndex(visit.place, step)) : [];
  // A loop may have thousands of tasks, so only those are looked at that are shown.
  const first = Math.max(0, next - mostTasks - open.length);
  const ended = tasks.slice(first, next).flatMap(({ title }, offset) => {
    const index = first + offset;
    if (open.includes(index)) return [];
    const about = `task ${index + 1}/${tasks.length} "${title}"${failed.includes(index) ? " (failed)" : ""}`;
    return [{ number, step, about }];
  });
  const subSteps = subStepsOf(template, step).map(({ id }) => id);
  const before = subSteps.slice(0, subSteps.indexOf(place.subStep));
  const inTask = before.length === 0 ? [] : [{ number, step, about: `task ${place.index + 1}: ${before.join(", ")}` }];
  return [...ended.slice(-mostTasks), ...inTask];
}

function firstLine(text: string): string {
  return text.trim().split("\n", 1)[0] ?? "";
}
