import type { Ended } from "../platform/processes.ts";

/** What artifacts are loaded from: a project, a run, and what the user allows. */
export interface ArtifactContext {
  readonly projectRoot: string;
  /** The run's state as JSON: run_id, status, phase, step, variables, artifacts and the rest. */
  readonly state: unknown;
  /** The values of the placeholders in a path, besides `{project_root}`. */
  readonly values: Readonly<Record<string, string>>;
  /** Files and folders outside the project that may be read. */
  readonly allowOutside: readonly string[];
  /** Whether a person has trusted the commands. */
  readonly trusted: boolean;
  /** Programs that load a `skill` or a `work_plugin`; its name becomes their last argument. */
  readonly providers: Readonly<Record<string, readonly string[]>>;
  run(argv: readonly string[], limits: RunLimits): Promise<Ended>;
}

export interface RunLimits {
  readonly cwd: string;
  readonly timeoutMs: number;
  readonly maxBytes: number;
}
