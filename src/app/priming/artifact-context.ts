import type { ArtifactContext } from "../../artifacts/artifact-context.ts";
import { conditionState } from "../../engine/condition-state.ts";
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
    state: conditionState(template, run),
    values: { ...Object.fromEntries(variables), run_id: run.runId },
    ...allowance,
    run: (argv, { cwd, timeoutMs, maxBytes }) =>
      execute({ argv, cwd, env: allowance.env, timeoutMs, tailBytes: maxBytes }),
  };
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
