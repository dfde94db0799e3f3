import { RunId } from "../../model/ids.ts";
import { askPlumbing, callGit, gitFailed } from "../../platform/git-plumbing.ts";
import type { Remote } from "./remote.ts";

const runsPrefix = "refs/holdfast/runs/";

/** The runs on a remote, each with the commit of its last push. */
export type RunRefs = ReadonlyMap<string, string>;

/** Fetches the runs of a remote whose ids begin like this, without touching branches, tags or files. */
export async function fetchRuns(remote: Remote, beginning: string): Promise<RunRefs> {
  // Those fetched before are listed as well.
  const found = await fetchFrom(remote, remote.name, `${beginning}*`);
  return new Map([...found].filter(([runId]) => runId.startsWith(beginning)));
}

/** A run at the push URL, which may differ from the fetch URL. */
export interface PushedRef {
  /** The commit of its last push; null if it is not there. */
  readonly commit: string | null;
  /** Whether this repository sees it there now or has seen it before. */
  readonly known: boolean;
}

export async function fetchPushed(remote: Remote, run: string): Promise<PushedRef> {
  const ref = `${knownPrefix(remote)}${run}`;
  const before = await callGit(remote.repository, ["rev-parse", "--verify", "--quiet", ref]);
  const commit = (await fetchFrom(remote, remote.pushTarget, `${run}*`)).get(run) ?? null;
  const known = commit !== null || before.code === 0;
  // The fetch pruned the ref of a run that is gone; restore it, to remember that the run was there.
  if (commit === null && known) {
    await askPlumbing(remote.repository, ["update-ref", ref, before.out.toString().trim()]);
  }
  return { commit, known };
}

/** All runs at the push URL, and those that were there before. */
export async function fetchAllPushed(remote: Remote): Promise<{ readonly there: RunRefs; readonly gone: RunRefs }> {
  const before = await listKnown(remote);
  const there = await fetchFrom(remote, remote.pushTarget, "*");
  const gone = new Map([...before].filter(([run]) => !there.has(run)));
  // The fetch pruned their refs; restore them, to remember that the runs were there.
  for (const [run, commit] of gone) {
    await askPlumbing(remote.repository, ["update-ref", `${knownPrefix(remote)}${run}`, commit]);
  }
  return { there, gone };
}

async function fetchFrom(remote: Remote, remoteOrUrl: string, pattern: string): Promise<RunRefs> {
  const { repository } = remote;
  const flags = [
    "--quiet",
    "--no-tags",
    "--no-write-fetch-head",
    "--no-auto-gc",
    "--no-recurse-submodules",
    "--no-filter",
    "--prune",
  ];
  const refs = `+${runsPrefix}${pattern}:${knownPrefix(remote)}${pattern}`;
  await askPlumbing(repository, ["fetch", ...flags, "--", remoteOrUrl, refs]);
  return listKnown(remote);
}

async function listKnown(remote: Remote): Promise<RunRefs> {
  const { repository } = remote;
  const listed = await askPlumbing(repository, [
    "for-each-ref",
    "--format=%(objectname) %(refname)",
    knownPrefix(remote),
  ]);
  const found = listed.split("\n").map((line): [string, string] => {
    const [commit = "", ref = ""] = line.split(" ");
    return [ref.slice(knownPrefix(remote).length), commit];
  });
  return new Map(found.filter(([id]) => RunId.safeParse(id).success));
}

/**
 * Replaces the commit `seen` on the remote, or creates the ref. Returns false if someone else pushed first. The push is
 * atomic: even if this process dies, the remote has either the old commit or the new one.
 */
export async function pushRun(remote: Remote, run: string, commit: string, seen: string | null): Promise<boolean> {
  const { repository, name } = remote;
  const ref = `${runsPrefix}${run}`;
  const flags = ["--porcelain", "--no-verify", "--no-follow-tags", "--no-signed", "--recurse-submodules=no"];
  const lease = `--force-with-lease=${ref}:${seen ?? ""}`;
  // Otherwise git refuses to push a single ref to a mirror remote.
  const single = ["-c", `remote.${name}.mirror=false`];
  const answer = await callGit(repository, [...single, "push", ...flags, lease, "--", name, `${commit}:${ref}`]);
  if (answer.code === 0) {
    await askPlumbing(repository, ["update-ref", `${knownPrefix(remote)}${run}`, commit]);
    return true;
  }
  const output = answer.out.toString();
  if (/^!.*\((stale info|fetch first|non-fast-forward)\)$/m.test(output)) return false;
  throw gitFailed(["push"], `${answer.err}\n${output.match(/^!.*$/m)?.[0] ?? ""}`);
}

/** The refs where this repository remembers what it has seen on a remote. */
function knownPrefix({ name }: Remote): string {
  return `refs/holdfast/remotes/${name}/`;
}
