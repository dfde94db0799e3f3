import type { ArtifactContext } from "../../artifacts/artifact-context.ts";
import { loadArtifacts } from "../../artifacts/load-artifact.ts";
import type { LoadedArtifact } from "../../artifacts/loaded.ts";
import { type Moment, type PlannedArtifact, planLoading } from "../../artifacts/plan-loading.ts";
import { loadedBy } from "../../engine/evolve/evolve-sessions.ts";
import type { Artifact } from "../../model/artifact.ts";
import { isHostCommand } from "../../model/command-text.ts";
import type { LoadedRecord } from "../../model/priming.ts";
import type { Refusal } from "../../model/refusal/refusal.ts";
import type { LiveRun } from "../../model/run.ts";
import type { Template } from "../../model/template.ts";
import type { Roots } from "../../platform/roots.ts";
import { type Allowance, artifactContext } from "./artifact-context.ts";

export interface Loading {
  readonly roots: Roots;
  readonly template: Template;
  readonly run: LiveRun;
  /** The project's own artifacts, which every workflow loads. */
  readonly shared: readonly Artifact[];
  readonly moments: readonly Moment[];
  readonly session: string | undefined;
  readonly force?: boolean;
  readonly only?: readonly string[];
  readonly allowance: Allowance;
}

/** Each artifact as it was loaded, or why it was not; and the triggers that fired, by id. */
export interface Loaded {
  readonly loaded: readonly LoadedArtifact[];
  readonly triggers: ReadonlyMap<string, string>;
}

export async function loadTriggered(loading: Loading): Promise<Loaded> {
  const { plan, world: context } = planTriggered(loading);
  const triggers = plan.flatMap((each) => (each.status === "load" ? [[each.artifact.id, each.trigger] as const] : []));
  return { loaded: await loadArtifacts(plan, context), triggers: new Map(triggers) };
}

/** What to load, and from where. */
export function planTriggered(loading: Loading): {
  readonly plan: readonly PlannedArtifact[];
  readonly world: ArtifactContext;
} {
  const { roots, template, run, shared, moments, session, force = false, only, allowance } = loading;
  const context = artifactContext(roots, template, run, allowance);
  const plan = planLoading({
    artifacts: artifactsOf(template, shared),
    moments,
    state: context.state,
    loaded: loadedBy(run, session),
    force,
    ...(only === undefined ? {} : { only }),
  });
  return { plan: allowance.trustsAll ? plan : plan.map((each) => withoutCommand(each, shared)), world: context };
}

/** Trust covers a workflow's commands, which a person has read. Project settings are not reviewed and change with a pull. */
function withoutCommand(planned: PlannedArtifact, shared: readonly Artifact[]): PlannedArtifact {
  const { artifact, status } = planned;
  const { command } = artifact;
  if (status !== "load" || command === undefined || isHostCommand(command) || !shared.includes(artifact))
    return planned;
  const problem =
    "commands in .holdfast/config.yaml are never run; move the artifact to a workflow, which can be trusted";
  return { artifact, status: "refuse", problem };
}

/** The project's artifacts, then the workflow's. A workflow's artifact replaces a project's with the same id. */
export function artifactsOf({ critical_artifacts: own }: Template, shared: readonly Artifact[]): readonly Artifact[] {
  const mine = [...(own?.always_load ?? []), ...(own?.conditional_load ?? [])];
  const ids = new Set(mine.map(({ id }) => id));
  return [...shared.filter(({ id }) => !ids.has(id)), ...mine];
}

/** The artifacts that are now in the model's context, as the journal records them. */
export function recordsOf(shown: readonly LoadedArtifact[], { triggers }: Loaded): LoadedRecord[] {
  return shown.flatMap((each) => {
    if (each.status !== "loaded") return [];
    const { id, hash, bytes, shortened } = each;
    const part = shortened?.type === "excerpt" ? { excerpt: true as const } : {};
    return [{ id, trigger: triggers.get(id) ?? "manual", hash, bytes, ...part }];
  });
}

/** The refusal for a required artifact that could not be loaded: the run cannot continue without it. */
export function missingRequired(
  loaded: readonly LoadedArtifact[],
): Extract<Refusal, { code: "artifact-missing" }> | undefined {
  for (const each of loaded) {
    if (!each.required || (each.status !== "missing" && each.status !== "refused")) continue;
    return { code: "artifact-missing", artifact: each.id, path: each.path, problem: each.problem };
  }
  return undefined;
}
