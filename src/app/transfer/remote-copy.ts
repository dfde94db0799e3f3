import type { Outcome } from "../../operation/operation.ts";
import { type GitObjects, openObjects } from "../../platform/git-objects.ts";
import type { Repository } from "../../platform/git-plumbing.ts";
import { checkCopy } from "./check-copy.ts";
import { readRunTree } from "./git-run-tree.ts";
import type { Remote } from "./remote.ts";
import type { RunCopy } from "./run-copy.ts";
import { fetchPushed } from "./run-refs.ts";

/** A run on the remote: the commit of its last push, and the checked content. */
export interface RemoteCopy {
  readonly commit: string;
  readonly copy: Outcome<RunCopy>;
}

/** The run is not on the remote. `before`: it was there once. */
export interface NoRemoteCopy {
  readonly commit: null;
  readonly before: boolean;
}

/** Fetches the run from the remote. */
export async function fetchRemoteCopy(remote: Remote, runId: string): Promise<RemoteCopy | NoRemoteCopy> {
  const { commit, known } = await fetchPushed(remote, runId);
  if (commit === null) return { commit, before: known };
  const copy = await withObjects(remote.repository, (objects) => readRemoteCopy(objects, remote, runId, commit));
  return { commit, copy };
}

export async function readRemoteCopy(
  objects: GitObjects,
  remote: Remote,
  runId: string,
  commit: string,
): Promise<Outcome<RunCopy>> {
  const received = await readRunTree(objects, remote, runId, commit);
  return "ok" in received ? received : checkCopy(received);
}

export async function withObjects<T>(repository: Repository, act: (objects: GitObjects) => Promise<T>): Promise<T> {
  const objects = openObjects(repository);
  try {
    return await act(objects);
  } finally {
    objects.close();
  }
}
