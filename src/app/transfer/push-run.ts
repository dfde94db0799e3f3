import * as z from "zod";
import type { Refusal } from "../../model/refusal/refusal.ts";
import { type Deps, no, type Outcome, yes } from "../../operation/operation.ts";
import { gitFailed } from "../../platform/git-plumbing.ts";
import { plainJournal } from "../../store/journal-copy.ts";
import { adoptCopy, keptJournalName } from "./adopt-copy.ts";
import { relate } from "./compare.ts";
import { confirmPush } from "./confirm-push.ts";
import { commitOf, writeRunTree } from "./git-run-tree.ts";
import { readLocalCopy } from "./local-copy.ts";
import type { Remote } from "./remote.ts";
import { fetchRemoteCopy, type NoRemoteCopy, type RemoteCopy } from "./remote-copy.ts";
import { claimedTasks, headOf, type RunCopy } from "./run-copy.ts";
import { pushRun as pushCommit } from "./run-refs.ts";

export interface Pushed {
  readonly runId: string;
  readonly remote: string;
  /** `behind`: the remote is ahead; `taken`: the remote's side was chosen and replaced the local one. */
  readonly result: "first" | "pushed" | "same" | "behind" | "taken";
  readonly version: number;
  /** The file beside the run's journal that keeps the side that was not chosen. */
  readonly kept: string | null;
  /** The tasks that agents work on here, which are free wherever the run is received. Absent if there are none. */
  readonly claimed?: readonly string[];
}

export const keepInput = z.enum(["local", "remote"]).optional().describe("Which side wins if both have moved on.");
export const remoteInput = z.string().optional().describe("The git remote; by default the branch's own.");
export const howToChoose = "--keep local or --keep remote";

export interface PushOptions {
  readonly keep: "local" | "remote" | undefined;
  readonly sure: boolean;
}

/** If another machine pushes first, tries again with the new state, a limited number of times. */
export async function push(deps: Deps, remote: Remote, runId: string, options: PushOptions): Promise<Outcome<Pushed>> {
  let lost: Attempt | null = null;
  for (let turn = 0; turn < mostTurns; turn++) {
    const tried: Outcome<Done | Attempt> = await tryPush(deps, remote, runId, { options, lost });
    if (!tried.ok) return tried;
    if ("result" in tried.value) return yes({ runId, remote: remote.name, ...tried.value });
    lost = tried.value;
  }
  throw gitFailed(["push"], `other machines pushed first, ${mostTurns} times in a row`);
}

const mostTurns = 20;

/** A rejected push: the commit that was on the remote before it, and the one that was sent. */
interface Attempt {
  readonly seen: string | null;
  readonly sent: string;
}

interface Trying {
  readonly options: PushOptions;
  readonly lost: Attempt | null;
}

async function tryPush(
  deps: Deps,
  remote: Remote,
  runId: string,
  { options, lost }: Trying,
): Promise<Outcome<Done | Attempt>> {
  const mine = await readLocalCopy(deps, runId);
  if (mine === null) return no({ code: "run-unknown", run: runId });
  deps.caller.progress?.(`asking ${remote.name}`);
  const other = await fetchRemoteCopy(remote, runId);
  if (lost !== null) refuseUnmoved(remote, lost, other.commit);
  const plan = await planFor(deps, remote, mine, { other, options, asked: lost !== null });
  if (!plan.ok) return plan;
  if (plan.value === "take") return take(deps, remote, other);
  if (plan.value === "send") return send(deps, remote, mine, other);
  return yes({ result: plan.value, version: headOf(mine).version, kept: null });
}

/** If the remote has not changed, another try would be rejected again. */
function refuseUnmoved({ name }: Remote, { seen, sent }: Attempt, now: string | null): void {
  if (now === sent) throw gitFailed(["push"], `only some of the push URLs of ${name} accepted the run`);
  if (now !== seen) return;
  const problem = `${name} rejected the run but shows no other version of it: it may hide refs/holdfast (hideRefs)`;
  throw gitFailed(["push"], problem);
}

type Plan = "send" | "take" | "same" | "behind";
type Done = Pick<Pushed, "result" | "version" | "kept" | "claimed">;

interface Planning {
  readonly other: RemoteCopy | NoRemoteCopy;
  readonly options: PushOptions;
  /** Whether a person has already agreed to this push. */
  readonly asked: boolean;
}

async function planFor(deps: Deps, remote: Remote, mine: RunCopy, planning: Planning): Promise<Outcome<Plan>> {
  const { other, options, asked } = planning;
  if (other.commit !== null) return planNext(remote, mine, other, options);
  const sure = options.sure || asked;
  return (await confirmPush(deps, remote, [mine], { sure, again: other.before })) ?? yes("send");
}

/** Decides what to do if the remote already has the run. */
function planNext(remote: Remote, mine: RunCopy, { copy }: RemoteCopy, { keep }: PushOptions): Outcome<Plan> {
  if (!copy.ok) return keep === "local" ? yes("send") : no(suggestKeepLocal(copy.refusal));
  const { type } = relate(mine.commits, copy.value.commits);
  if (type === "same" || type === "behind") return yes(type);
  if (type === "ahead" || keep === "local") return yes("send");
  if (keep === "remote") return yes("take");
  const heads = { here: headOf(mine), there: headOf(copy.value) };
  return no({ code: "runs-diverged", run: mine.run.runId, from: remote.name, ...heads, choose: howToChoose });
}

/** The local run is valid, so it may replace a damaged one on the remote. */
function suggestKeepLocal(refusal: Refusal): Refusal {
  return refusal.code === "copy-damaged" ? { ...refusal, choose: "--keep local" } : refusal;
}

async function take(deps: Deps, remote: Remote, other: RemoteCopy | NoRemoteCopy): Promise<Outcome<Done>> {
  if (other.commit === null || !other.copy.ok) throw new Error("only a valid remote copy can be taken");
  const adoption = { from: remote.name, overLocal: true, choose: howToChoose };
  const adopted = await adoptCopy(deps, other.copy.value, adoption);
  const { version } = headOf(other.copy.value);
  return adopted.ok ? yes({ result: "taken", version, kept: adopted.value.kept }) : adopted;
}

async function send(
  deps: Deps,
  remote: Remote,
  mine: RunCopy,
  other: RemoteCopy | NoRemoteCopy,
): Promise<Outcome<Done | Attempt>> {
  deps.caller.progress?.(`sending to ${remote.name}`);
  const kept = other.commit === null ? null : keepOther(deps, mine, other);
  const seen = other.commit;
  const parent = seen === null ? null : await commitOf(remote.repository, seen);
  const sent = await writeRunTree(remote.repository, mine, { parent, at: deps.now() });
  if (!(await pushCommit(remote, mine.run.runId, sent, seen))) return yes({ seen, sent });
  const claimed = claimedTasks(mine.run);
  const result = seen === null ? "first" : "pushed";
  return yes({ result, version: headOf(mine).version, kept, ...(claimed.length > 0 && { claimed }) });
}

/** Keeps the remote's replaced side here as well; the remote has it as the parent of our commit. */
function keepOther({ files }: Deps, mine: RunCopy, { copy }: RemoteCopy): string | null {
  if (!copy.ok || relate(mine.commits, copy.value.commits).type !== "diverged") return null;
  const name = keptJournalName(copy.value);
  files.write(mine.run.runId, name, plainJournal(copy.value.commits).toString(), "flushed");
  return name;
}
