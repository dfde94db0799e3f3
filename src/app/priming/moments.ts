import type { Moment } from "../../artifacts/plan-loading.ts";
import { phaseAt, phasesOf } from "../../engine/step-settings.ts";
import type { RunEvent } from "../../model/event.ts";
import type { StartedRun } from "../../model/run.ts";
import type { Template } from "../../model/template.ts";

/** The moments in these events that can trigger artifacts: entered steps, started phases and phase transitions. */
export function momentsOf(template: Template, before: string | null, events: readonly RunEvent[]): readonly Moment[] {
  const phaseOf = (step: string) => phaseAt(template, step, "running").name;
  const moments: Moment[] = [];
  let last = before;
  for (const event of events) {
    if (event.type !== "visit-entered") continue;
    const { step } = event.place;
    if (step !== last) moments.push({ type: "step_start", step });
    const [from, to] = [last === null ? null : phaseOf(last), phaseOf(step)];
    if (from === null) moments.push({ type: "phase_start", phase: to });
    else if (from !== to) moments.push({ type: "phase_transition", from, to });
    last = step;
  }
  return moments;
}

/** The moments that led to a step, as far as the run's state shows: an agent that works on it needs all they trigger. */
export function momentsBehind(template: Template, { steps, sessions }: StartedRun, step: string): readonly Moment[] {
  const phase = phaseAt(template, step, "running").name;
  const left = phasesOf(template).filter(
    ({ name, steps: inside }) => name !== phase && inside.some((id) => Object.hasOwn(steps, id)),
  );
  return [
    { type: "session_start" },
    ...(sessions.some(({ compactions }) => compactions > 0) ? [{ type: "compaction" } as const] : []),
    { type: "step_start", step },
    { type: "phase_start", phase },
    ...left.map(({ name }): Moment => ({ type: "phase_transition", from: name, to: phase })),
  ];
}
