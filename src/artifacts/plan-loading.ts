import type { Artifact } from "../model/artifact.ts";
import { parseCondition } from "../model/condition/condition.ts";
import { type ConditionScope, conditionHolds } from "../model/condition/condition-value.ts";
import { memberAt } from "../model/condition/member-path.ts";
import { parseTrigger, type Trigger } from "../model/trigger.ts";

/** An event in a run or its conversation that can trigger loading. */
export type Moment =
  | { readonly type: "session_start" | "compaction" | "manual" }
  | { readonly type: "phase_start"; readonly phase: string }
  | { readonly type: "phase_transition"; readonly from: string; readonly to: string }
  | { readonly type: "step_start"; readonly step: string };

export interface LoadRequest {
  readonly artifacts: readonly Artifact[];
  readonly moments: readonly Moment[];
  readonly state: unknown;
  /** The hashes, by id, of what is in this context epoch already. A new epoch begins with none. */
  readonly loaded: Readonly<Record<string, string>>;
  /** Also load what is unchanged. */
  readonly force: boolean;
  /** Only these ids; by default all. */
  readonly only?: readonly string[];
}

export type PlannedArtifact = { readonly artifact: Artifact } & (
  | {
      readonly status: "load";
      /** The trigger that fired, as it is recorded. */
      readonly trigger: string;
      /** The hash of the version that is in context already. */
      readonly known: string | null;
    }
  | { readonly status: "skip"; readonly reason: "trigger" | "condition" }
  | { readonly status: "refuse"; readonly problem: string }
);

/** Decides which artifacts to load at these moments, and says why the others are not loaded. */
export function planLoading(request: LoadRequest): readonly PlannedArtifact[] {
  const { artifacts, only } = request;
  const asked = only === undefined ? artifacts : artifacts.filter(({ id }) => only.includes(id));
  const scope = scopeOf(request.state);
  return asked.map((artifact) => planOne(artifact, request, scope));
}

/** The requested ids that do not exist. */
export function unknownArtifacts(artifacts: readonly Artifact[], ids: readonly string[]): readonly string[] {
  return ids.filter((id) => artifacts.every((artifact) => artifact.id !== id));
}

/** The values that conditions can use. `run` is the state as well, with the run id as `id`. */
export function scopeOf(state: unknown): ConditionScope {
  const run = { ...Object(state), id: memberAt(state, ["run_id"]) };
  return { state, run, variables: memberAt(state, ["variables"]) };
}

function planOne(artifact: Artifact, { moments, loaded, force }: LoadRequest, scope: ConditionScope): PlannedArtifact {
  const trigger = firedTrigger(artifact, moments);
  if (trigger === null) return { artifact, status: "skip", reason: "trigger" };
  if (artifact.condition !== undefined) {
    const parsed = parseCondition(artifact.condition);
    if (!parsed.ok) {
      const problem = `its condition is invalid at column ${parsed.column}: ${parsed.problem}`;
      return { artifact, status: "refuse", problem };
    }
    if (!conditionHolds(parsed.condition, scope)) return { artifact, status: "skip", reason: "condition" };
  }
  const known = !force && Object.hasOwn(loaded, artifact.id) ? (loaded[artifact.id] ?? null) : null;
  return { artifact, status: "load", trigger, known };
}

/** The triggers of an artifact that declares none. */
const defaultTriggers = ["session_start"];

function firedTrigger({ reload_triggers = defaultTriggers }: Artifact, moments: readonly Moment[]): string | null {
  // Loading by hand loads every artifact, not only those with the trigger `manual`.
  if (moments.some(({ type }) => type === "manual")) return "manual";
  const fired = reload_triggers.find((text) => {
    const trigger = parseTrigger(text);
    return trigger !== null && moments.some((moment) => fires(trigger, moment));
  });
  if (fired !== "session_start") return fired ?? null;
  return moments.some(({ type }) => type === "session_start") ? fired : "compaction";
}

function fires(trigger: Trigger, moment: Moment): boolean {
  switch (trigger.type) {
    case "session_start":
      // A compacted conversation has lost its artifacts, and hosts report it as a session start.
      return moment.type === "session_start" || moment.type === "compaction";
    case "compaction":
    case "manual":
    case "phase_transition":
      return moment.type === trigger.type;
    case "phase-change":
      return moment.type === "phase_transition" && moment.from === trigger.from && moment.to === trigger.to;
    case "phase-start":
      return (
        (moment.type === "phase_start" && moment.phase === trigger.phase) ||
        (moment.type === "phase_transition" && moment.to === trigger.phase)
      );
    case "step-start":
      return moment.type === "step_start" && moment.step === trigger.step;
  }
}
