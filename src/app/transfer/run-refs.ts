import { RunId } from "../../model/ids.ts";
import { askPlumbing, callGit, gitFailed } from "../../platform/git-plumbing.ts";
import type { Remote } from "./remote.ts";

const runsPrefix = "refs/holdfast/runs/";

/** What a remote has under the name of each run: the commit of its last push. */
export type RunRefs = ReadonlyMap<string, string>;

/** Brings the runs of a remote into this repository, without a branch, a tag or a file: all of them, or one. */
export async function fetchRuns(remote: Remote, run: string | null): Promise<RunRefs> {
  const found = await fetchFrom(remote, remote.name, `${run ?? ""}*`);
  return run === null ? found : new Map([...found].filter(([id]) => id === run));
}

/** One run as it stands where we push to, which may be elsewhere than where we fetch from. */
export interface PushedRef {
  /** The commit of its last push; null when it is not there. */
  readonly commit: string | null;
  /** Whether this repository has seen it there, now or before. */
  readonly known: boolean;
}

export async function fetchPushed(remote: Remote, run: string): Promise<PushedRef> {
  const ref = `${knownPrefix(remote)}${run}`;
  const before = await callGit(remote.repository, ["rev-parse", "--verify", "--quiet", ref]);
  const commit = (await fetchFrom(remote, remote.pushedTo, `${run}*`)).get(run) ?? null;
  const known = commit !== null || before.code === 0;
  // The fetch has forgotten what is not there any more; that it was there is still to be known.
  if (commit === null && known) {
    await askPlumbing(remote.repository, ["update-ref", ref, before.out.toString().trim()]);
  }
  return { commit, known };
}

async function fetchFrom(remote: Remote, place: string, pattern: string): Promise<RunRefs> {
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
  await askPlumbing(repository, ["fetch", ...flags, "--", place, refs]);
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
 * Puts a commit in the place of the one that was seen there, or of none. False when someone else was faster; in any
 * case the remote has the old commit or the new one, whatever becomes of us.
 */
export async function pushRun(remote: Remote, run: string, commit: string, seen: string | null): Promise<boolean> {
  const { repository, name } = remote;
  const ref = `${runsPrefix}${run}`;
  const flags = ["--porcelain", "--no-verify", "--no-follow-tags", "--no-signed", "--recurse-submodules=no"];
  const lease = `--force-with-lease=${ref}:${seen ?? ""}`;
  // A remote that mirrors everything takes no single ref otherwise.
  const single = ["-c", `remote.${name}.mirror=false`];
  const answer = await callGit(repository, [...single, "push", ...flags, lease, "--", name, `${commit}:${ref}`]);
  if (answer.code === 0) {
    await askPlumbing(repository, ["update-ref", `${knownPrefix(remote)}${run}`, commit]);
    return true;
  }
  const said = answer.out.toString();
  if (/^!.*\((stale info|fetch first|non-fast-forward)\)$/m.test(said)) return false;
  throw gitFailed(["push"], `${answer.err}\n${said.match(/^!.*$/m)?.[0] ?? ""}`);
}

/** Where this repository remembers what it has seen of a remote. */
function knownPrefix({ name }: Remote): string {
  return `refs/holdfast/remotes/${name}/`;
}
