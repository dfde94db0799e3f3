import { join } from "node:path";
import { openTasksOf } from "../../engine/view/open-tasks.ts";
import { emptyProjection, project } from "../../journal/projection.ts";
import type { HeadFacts } from "../../model/refusal/refusal-moving.ts";
import type { StartedRun } from "../../model/run.ts";
import type { Deps } from "../../operation/operation.ts";
import { stateFolder } from "../../platform/links.ts";
import { templateHashes } from "../../store/copies.ts";
import type { CopiedCommit } from "../../store/store.ts";
import { templateFile } from "../../templates/hash.ts";

/** A run as it is sent and received: its commits, and all templates that it used, by file name. */
export interface RunCopy {
  readonly run: StartedRun;
  readonly commits: readonly CopiedCommit[];
  readonly templates: ReadonlyMap<string, string>;
}

/** Moves one run to another store. Returns "nothing" for what is no run. */
export type MoveRun = (runId: string) => Promise<"moved" | "same" | "nothing">;

export function runsFolder({ roots }: Deps): string {
  return join(roots.stateRoot, stateFolder, "runs");
}

/** Null if the commits do not start a run. */
export function foldRun(commits: readonly CopiedCommit[]): StartedRun | null {
  const { run } = commits.reduce(project, emptyProjection);
  return run.status === "absent" ? null : run;
}

/** The tasks that agents work on, on the machine that the run is from. */
export function claimedTasks(run: StartedRun): string[] {
  return openTasksOf(run).flatMap(({ id, session }) => (session === undefined ? [] : [id]));
}

/** The hashes of the templates that a journal names, by file name. */
export function templatesByFile(commits: readonly CopiedCommit[]): ReadonlyMap<string, string> {
  const hashes = templateHashes(commits.flatMap(({ events }) => events));
  return new Map(hashes.map((hash) => [templateFile(hash), hash]));
}

export function headOf({ run, commits }: Pick<RunCopy, "run" | "commits">): HeadFacts {
  return { version: commits.length, at: run.updatedAt, step: run.last?.step ?? "its beginning" };
}
