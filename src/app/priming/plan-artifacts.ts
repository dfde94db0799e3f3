import { type Moment, type PlannedArtifact, planLoading } from "../../artifacts/plan-loading.ts";
import { conditionState } from "../../engine/condition-state.ts";
import { loadedBy } from "../../engine/evolve/evolve-sessions.ts";
import type { Artifact } from "../../model/artifact.ts";
import type { LiveRun } from "../../model/run.ts";
import type { Template } from "../../model/template.ts";

/** What decides which artifacts to load. */
export interface Planning {
  readonly template: Template;
  readonly run: LiveRun;
  /** The project's own artifacts, which every workflow loads. */
  readonly shared: readonly Artifact[];
  readonly moments: readonly Moment[];
  readonly session: string | undefined;
  readonly force?: boolean;
  readonly only?: readonly string[];
}

/** What to load. In a file without the code that loads it, which a hook does not need if nothing is due. */
export function planArtifacts(planning: Planning): readonly PlannedArtifact[] {
  const { template, run, shared, moments, session, force = false, only } = planning;
  return planLoading({
    artifacts: artifactsOf(template, shared),
    moments,
    state: conditionState(template, run),
    loaded: loadedBy(run, session),
    force,
    ...(only === undefined ? {} : { only }),
  });
}

/** The project's artifacts, then the workflow's. A workflow's artifact replaces a project's with the same id. */
export function artifactsOf({ critical_artifacts: own }: Template, shared: readonly Artifact[]): readonly Artifact[] {
  const mine = [...(own?.always_load ?? []), ...(own?.conditional_load ?? [])];
  const ids = new Set(mine.map(({ id }) => id));
  return [...shared.filter(({ id }) => !ids.has(id)), ...mine];
}
