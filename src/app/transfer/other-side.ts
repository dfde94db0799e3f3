import { type GitObjects, openObjects } from "../../platform/git-objects.ts";
import type { Repository } from "../../platform/git-plumbing.ts";
import type { Outcome } from "../operation.ts";
import { fetchRuns } from "./carried-refs.ts";
import { readCarried } from "./carried-run.ts";
import { checkCopy } from "./check-copy.ts";
import type { Remote } from "./remote.ts";
import type { RunCopy } from "./run-copy.ts";

/** What a remote has of a run: the commit of its last push, and what is in it, checked. */
export interface OtherSide {
  readonly commit: string;
  readonly copy: Outcome<RunCopy>;
}

/** Asks the remote now; null when it has no such run. */
export async function lookThere(remote: Remote, runId: string): Promise<OtherSide | null> {
  const commit = (await fetchRuns(remote, runId)).get(runId);
  if (commit === undefined) return null;
  const copy = await withObjects(remote.repository, (objects) => readSide(objects, remote, runId, commit));
  return { commit, copy };
}

export async function readSide(
  objects: GitObjects,
  remote: Remote,
  runId: string,
  commit: string,
): Promise<Outcome<RunCopy>> {
  const carried = await readCarried(objects, remote, runId, commit);
  return "ok" in carried ? carried : checkCopy(carried);
}

export async function withObjects<T>(repository: Repository, act: (objects: GitObjects) => Promise<T>): Promise<T> {
  const objects = openObjects(repository);
  try {
    return await act(objects);
  } finally {
    objects.close();
  }
}
