import type { Artifact } from "../model/artifact.ts";
import { parseCondition } from "../model/condition/condition.ts";
import { type ConditionScope, conditionHolds } from "../model/condition/condition-value.ts";
import { memberAt } from "../model/condition/member-path.ts";
import { parseTrigger, type Trigger } from "../model/trigger.ts";

/** Something that has just happened to a run or to the conversation about it. */
export type Moment =
  | { readonly type: "session_start" | "compaction" | "manual" }
  | { readonly type: "phase_start"; readonly phase: string }
  | { readonly type: "phase_transition"; readonly from: string; readonly to: string }
  | { readonly type: "step_start"; readonly step: string };

export interface LoadRequest {
  readonly artifacts: readonly Artifact[];
  readonly moments: readonly Moment[];
  readonly state: unknown;
  /** What is in this context epoch already: hashes by id. A new epoch begins with none. */
  readonly loaded: Readonly<Record<string, string>>;
  /** Load again what is there already. */
  readonly force: boolean;
  /** Only these, by id; all of them without. */
  readonly only?: readonly string[];
}

export type PlannedArtifact = { readonly artifact: Artifact } & (
  | {
      readonly status: "load";
      /** What set it off, as it is recorded. */
      readonly trigger: string;
      /** With this hash it is in context already. */
      readonly known: string | null;
    }
  | { readonly status: "skip"; readonly reason: "trigger" | "condition" }
  | { readonly status: "refuse"; readonly problem: string }
);

/** Which artifacts are loaded at a moment, and why the others are not. */
export function planLoading(request: LoadRequest): readonly PlannedArtifact[] {
  const { artifacts, only } = request;
  const asked = only === undefined ? artifacts : artifacts.filter(({ id }) => only.includes(id));
  const scope = scopeOf(request.state);
  return asked.map((artifact) => planOne(artifact, request, scope));
}

/** Asked for and not there. */
export function unknownArtifacts(artifacts: readonly Artifact[], ids: readonly string[]): readonly string[] {
  return ids.filter((id) => artifacts.every((artifact) => artifact.id !== id));
}

/** What conditions see: `run` is the state too, where the run's id is simply its `id`. */
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
      const problem = `its condition is not understood: at its column ${parsed.column}: ${parsed.problem}`;
      return { artifact, status: "refuse", problem };
    }
    if (!conditionHolds(parsed.condition, scope)) return { artifact, status: "skip", reason: "condition" };
  }
  const known = !force && Object.hasOwn(loaded, artifact.id) ? (loaded[artifact.id] ?? null) : null;
  return { artifact, status: "load", trigger, known };
}

/** An artifact that names no triggers is for the beginning of a session. */
const usual = ["session_start"];

function firedTrigger({ reload_triggers = usual }: Artifact, moments: readonly Moment[]): string | null {
  // Whoever loads by hand wants them all, and not only those that are for nothing else.
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
      // After a compaction the conversation begins anew, and hosts report it as the start of a session.
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
