import type { StateField } from "../model/condition/condition.ts";
import { ownEntry } from "../model/json.ts";
import type { StartedRun } from "../model/run.ts";
import type { Template } from "../model/template.ts";
import { phaseAt } from "./step-settings.ts";

/**
 * The run's state that conditions and `path_from_state` read, and that the artifact `{run_state}` shows. It leaves out
 * what changes with every read, so that an unchanged state has an unchanged hash.
 */
export function conditionState(template: Template, run: StartedRun): Readonly<Partial<Record<StateField, unknown>>> {
  const step = run.last?.step ?? template.steps[0]?.id ?? "";
  return {
    run_id: run.runId,
    workflow: run.workflow,
    status: run.status,
    summary: run.summary,
    step,
    phase: phaseAt(template, step, run.status),
    variables: run.variables,
    ...workNames(run.variables),
    artifacts: run.artifacts,
    artefacts: run.artefacts,
    steps: run.steps,
    started_at: run.startedAt,
  };
}

/** The work item and the plan also stand in the state itself, where conditions look for them; a blank value is none. */
function workNames(variables: StartedRun["variables"]): Readonly<Record<string, unknown>> {
  const named = ["work_id", "plan_id"].map((name) => [name, ownEntry(variables, name) ?? ""] as const);
  return Object.fromEntries(named.filter(([, value]) => value !== ""));
}
