import { RunId } from "../../model/ids.ts";
import { askPlumbing, callGit, gitFailed } from "../../platform/git-plumbing.ts";
import type { Remote } from "./remote.ts";

const runsPrefix = "refs/holdfast/runs/";

/** What a remote has under the name of each run: the commit of its last push. */
export type CarriedRefs = ReadonlyMap<string, string>;

/** Brings the runs of a remote into this repository, all of them or one, without a branch, a tag or a file. */
export async function fetchRuns(remote: Remote, run: string | null): Promise<CarriedRefs> {
  const { repository, name } = remote;
  const pattern = `${run ?? ""}*`;
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
  await askPlumbing(repository, ["fetch", ...flags, "--", name, refs]);
  const listed = await askPlumbing(repository, [
    "for-each-ref",
    "--format=%(objectname) %(refname)",
    knownPrefix(remote),
  ]);
  const found = listed.split("\n").map((line): [string, string] => {
    const [commit = "", ref = ""] = line.split(" ");
    return [ref.slice(knownPrefix(remote).length), commit];
  });
  return new Map(found.filter(([id]) => RunId.safeParse(id).success && (run === null || id === run)));
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
  const answer = await callGit(repository, ["push", ...flags, lease, "--", name, `${commit}:${ref}`]);
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
