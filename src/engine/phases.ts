import type { RunStatus } from "../model/run.ts";
import type { PhaseStatus } from "../model/status.ts";
import type { Template } from "../model/template.ts";

export interface Phase {
  readonly name: string;
  readonly steps: readonly string[];
}

/** Groups consecutive steps of the same phase; a step without a phase is a phase of its own. */
export function phasesOf(template: Template): readonly Phase[] {
  const phases: { name: string; steps: string[]; shared: boolean }[] = [];
  for (const step of template.steps) {
    const last = phases.at(-1);
    if (last?.shared && last.name === step.phase) last.steps.push(step.id);
    else phases.push({ name: step.phase ?? step.id, steps: [step.id], shared: step.phase !== undefined });
  }
  return phases.map(({ name, steps }) => ({ name, steps }));
}

/** The index of the phase that contains a step; -1 if the template has no such step. */
export function phaseIndex(template: Template, step: string): number {
  return indexIn(phasesOf(template), step);
}

function indexIn(phases: readonly Phase[], step: string): number {
  return phases.findIndex((phase) => phase.steps.includes(step));
}

export function phaseAt(template: Template, step: string, status: RunStatus): PhaseStatus {
  const phases = phasesOf(template);
  const index = indexIn(phases, step);
  return { current: index + 1, total: phases.length, name: phases[index]?.name ?? step, status: wording[status] };
}

const wording: { readonly [S in RunStatus]: PhaseStatus["status"] } = {
  running: "in_progress",
  waiting: "blocked",
  review: "blocked",
  paused: "blocked",
  complete: "completed",
  failed: "blocked",
  aborted: "blocked",
};
