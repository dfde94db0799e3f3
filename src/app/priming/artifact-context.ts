import type { ArtifactContext } from "../../artifacts/artifact-context.ts";
import { ownEntry } from "../../engine/own-entry.ts";
import { phaseAt } from "../../engine/phases.ts";
import { runProjectRoot } from "../../journal/outputs.ts";
import type { StartedRun } from "../../model/run.ts";
import type { Template } from "../../model/template.ts";
import { execute } from "../../platform/processes.ts";
import type { Roots } from "../../platform/roots.ts";

/** What the user allows artifacts to do. */
export interface Allowance {
  /** Whether the template's commands are trusted. */
  readonly trusted: boolean;
  /** Whether the user trusts every project. */
  readonly trustsAll: boolean;
  readonly providers: Readonly<Record<string, readonly string[]>>;
  readonly allowOutside: readonly string[];
  /** What commands see of the caller's environment. */
  readonly env: Readonly<Record<string, string | undefined>>;
}

export const nothingAllowed: Allowance = { trusted: false, trustsAll: false, providers: {}, allowOutside: [], env: {} };

export function artifactContext(
  roots: Roots,
  template: Template,
  run: StartedRun,
  allowance: Allowance,
): ArtifactContext {
  const projectRoot = runProjectRoot(roots, run);
  const variables = Object.entries(run.variables).map(([name, value]) => [name, String(value)]);
  return {
    projectRoot,
    state: stateOf(template, run),
    values: { ...Object.fromEntries(variables), run_id: run.runId },
    ...allowance,
    run: (argv, { cwd, timeoutMs, maxBytes }) =>
      execute({ argv, cwd, env: allowance.env, timeoutMs, tailBytes: maxBytes }),
  };
}

/**
 * The run's state that conditions and `path_from_state` read, and that the artifact `{run_state}` shows. It leaves out
 * what changes with every read, so that an unchanged state has an unchanged hash.
 */
function stateOf(template: Template, run: StartedRun): Readonly<Record<string, unknown>> {
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

/** What is in the model's context, with the stored state's own keys. */
export function metadataOf({ priming }: StartedRun) {
  return {
    last_artifact_reload: priming.lastAt,
    reload_count: priming.reloads,
    artifacts_in_context: priming.loaded.map(({ id, at, trigger, hash, bytes }) => ({
      artifact_id: id,
      loaded_at: at,
      load_trigger: trigger,
      hash,
      bytes,
    })),
  };
}
