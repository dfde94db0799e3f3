import type { ArtifactWorld } from "../../artifacts/world.ts";
import { phaseAt } from "../../engine/phases.ts";
import { runProjectRoot } from "../../journal/outputs.ts";
import type { StartedRun } from "../../model/run.ts";
import type { Template } from "../../model/template.ts";
import { execute } from "../../platform/processes.ts";
import type { Roots } from "../../platform/roots.ts";

/** What a person allows artifacts to do. */
export interface Allowance {
  /** Whether the template's commands are trusted. */
  readonly trusted: boolean;
  /** Whether the person lets every project run what it wants. */
  readonly trustsAll: boolean;
  readonly providers: Readonly<Record<string, readonly string[]>>;
  readonly allowOutside: readonly string[];
}

export const nothingAllowed: Allowance = { trusted: false, trustsAll: false, providers: {}, allowOutside: [] };

export function worldFor(roots: Roots, template: Template, run: StartedRun, allowance: Allowance): ArtifactWorld {
  const projectRoot = runProjectRoot(roots, run);
  const variables = Object.entries(run.variables).map(([name, value]) => [name, String(value)]);
  return {
    projectRoot,
    state: stateOf(template, run),
    values: { ...Object.fromEntries(variables), run_id: run.runId },
    ...allowance,
    run: (argv, { cwd, timeoutMs, maxBytes }) =>
      execute({ argv, cwd, env: process.env, timeoutMs, tailBytes: maxBytes }),
  };
}

/**
 * The run's state as an artifact may see it: what conditions and `path_from_state` read, in the words of templates.
 * What changes with every look is left out, so that an unchanged state is told from a changed one.
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
    artifacts: run.artifacts,
    artefacts: run.artefacts,
    steps: run.steps,
    started_at: run.startedAt,
  };
}

/** What was put before a model, in the words of the stored state. */
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
