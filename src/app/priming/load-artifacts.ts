import { loadArtifacts } from "../../artifacts/load-artifact.ts";
import type { LoadedArtifact } from "../../artifacts/loaded.ts";
import { type Moment, type PlannedArtifact, planLoading } from "../../artifacts/plan-loading.ts";
import { isHostCommand } from "../../artifacts/run-command.ts";
import type { ArtifactWorld } from "../../artifacts/world.ts";
import { loadedBy } from "../../engine/evolve/evolve-priming.ts";
import type { Artifact } from "../../model/artifact.ts";
import type { LoadedRecord } from "../../model/priming.ts";
import type { Refusal } from "../../model/refusal/refusal.ts";
import type { LiveRun } from "../../model/run.ts";
import type { Template } from "../../model/template.ts";
import type { Roots } from "../../platform/roots.ts";
import { type Allowance, worldFor } from "./artifact-world.ts";

export interface Loading {
  readonly roots: Roots;
  readonly template: Template;
  readonly run: LiveRun;
  /** Those of the project, for every workflow of it. */
  readonly shared: readonly Artifact[];
  readonly moments: readonly Moment[];
  readonly session: string | undefined;
  readonly force?: boolean;
  readonly only?: readonly string[];
  readonly allowance: Allowance;
}

/** What a moment puts before the model: each artifact as it was loaded, or why it was not, and what set it off. */
export interface Loaded {
  readonly loaded: readonly LoadedArtifact[];
  readonly triggers: ReadonlyMap<string, string>;
}

export async function loadTriggered(loading: Loading): Promise<Loaded> {
  const { plan, world } = planTriggered(loading);
  const triggers = plan.flatMap((each) => (each.status === "load" ? [[each.artifact.id, each.trigger] as const] : []));
  return { loaded: await loadArtifacts(plan, world), triggers: new Map(triggers) };
}

/** What is to be loaded, and the world that it is loaded from. */
export function planTriggered(loading: Loading): {
  readonly plan: readonly PlannedArtifact[];
  readonly world: ArtifactWorld;
} {
  const { roots, template, run, shared, moments, session, force = false, only, allowance } = loading;
  const world = worldFor(roots, template, run, allowance);
  const plan = planLoading({
    artifacts: artifactsOf(template, shared),
    moments,
    state: world.state,
    loaded: loadedBy(run, session),
    force,
    ...(only === undefined ? {} : { only }),
  });
  return { plan: allowance.trustsAll ? plan : plan.map((each) => withoutCommand(each, shared)), world };
}

/** Who trusts a workflow has read its commands. A project's settings are read by nobody, and change with every pull. */
function withoutCommand(planned: PlannedArtifact, shared: readonly Artifact[]): PlannedArtifact {
  const { artifact, status } = planned;
  const { command } = artifact;
  if (status !== "load" || command === undefined || isHostCommand(command) || !shared.includes(artifact))
    return planned;
  const problem =
    "a command in .holdfast/config.yaml is not run; put the artifact into a workflow, which can be trusted";
  return { artifact, status: "refuse", problem };
}

/** The project's own come first; a workflow's artifact of the same id stands in the place of the project's. */
export function artifactsOf({ critical_artifacts: own }: Template, shared: readonly Artifact[]): readonly Artifact[] {
  const mine = [...(own?.always_load ?? []), ...(own?.conditional_load ?? [])];
  const ids = new Set(mine.map(({ id }) => id));
  return [...shared.filter(({ id }) => !ids.has(id)), ...mine];
}

/** The ones that are before the model now, as the journal keeps them. */
export function recordsOf(shown: readonly LoadedArtifact[], { triggers }: Loaded): LoadedRecord[] {
  return shown.flatMap((each) => {
    if (each.status !== "loaded") return [];
    const { id, hash, bytes } = each;
    return [{ id, trigger: triggers.get(id) ?? "manual", hash, bytes }];
  });
}

/** A required one that is not there, as a refusal: the run cannot go on past this point. */
export function missingRequired(
  loaded: readonly LoadedArtifact[],
): Extract<Refusal, { code: "artifact-missing" }> | undefined {
  for (const each of loaded) {
    if (!each.required || (each.status !== "missing" && each.status !== "refused")) continue;
    return { code: "artifact-missing", artifact: each.id, path: each.path, problem: each.problem };
  }
  return undefined;
}
