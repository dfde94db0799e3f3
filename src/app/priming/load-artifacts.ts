import type { ArtifactContext } from "../../artifacts/artifact-context.ts";
import { loadArtifacts } from "../../artifacts/load-artifact.ts";
import type { LoadedArtifact } from "../../artifacts/loaded.ts";
import type { PlannedArtifact } from "../../artifacts/plan-loading.ts";
import type { Artifact } from "../../model/artifact.ts";
import { isHostCommand } from "../../model/command-text.ts";
import type { LoadedRecord } from "../../model/recorded.ts";
import type { Refusal } from "../../model/refusal/refusal.ts";
import type { Roots } from "../../platform/roots.ts";
import { type Allowance, artifactContext } from "./artifact-context.ts";
import { type Planning, planArtifacts } from "./plan-artifacts.ts";

export interface Loading extends Planning {
  readonly roots: Roots;
  readonly allowance: Allowance;
}

/** Each artifact as it was loaded, or why it was not; and the triggers that fired, by id. */
export interface Loaded {
  readonly loaded: readonly LoadedArtifact[];
  readonly triggers: ReadonlyMap<string, string>;
}

export function loadTriggered(loading: Loading): Promise<Loaded> {
  return loadPlanned(planArtifacts(loading), loading);
}

/** Loads what was planned before it was known what the user allows. */
export async function loadPlanned(planned: readonly PlannedArtifact[], loading: Allowing): Promise<Loaded> {
  const { plan, world: context } = asAllowed(planned, loading);
  const triggers = plan.flatMap((each) => (each.status === "load" ? [[each.artifact.id, each.trigger] as const] : []));
  return { loaded: await loadArtifacts(plan, context), triggers: new Map(triggers) };
}

/** What to load, and from where. */
interface Allowed {
  readonly plan: readonly PlannedArtifact[];
  readonly world: ArtifactContext;
}

export function planTriggered(loading: Loading): Allowed {
  return asAllowed(planArtifacts(loading), loading);
}

type Allowing = Pick<Loading, "roots" | "template" | "run" | "shared" | "allowance">;

function asAllowed(plan: readonly PlannedArtifact[], { roots, template, run, shared, allowance }: Allowing): Allowed {
  const world = artifactContext(roots, template, run, allowance);
  return { plan: allowance.trustsAll ? plan : plan.map((each) => withoutCommand(each, shared)), world };
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
