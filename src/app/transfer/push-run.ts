import * as z from "zod";
import type { Refusal } from "../../model/refusal/refusal.ts";
import { type Deps, defineOperation, no, type Outcome, yes } from "../../operation/operation.ts";
import { gitFailed } from "../../platform/git-plumbing.ts";
import { plainJournal } from "../../store/journal-copy.ts";
import { chooseRun } from "../runs/choose-run.ts";
import { refuseAgent } from "../workflows/person.ts";
import { adoptCopy, keptName } from "./adopt-copy.ts";
import { relate } from "./compare.ts";
import { confirmPush } from "./confirm-push.ts";
import { commitOf, writeRunTree } from "./git-run-tree.ts";
import { readLocalCopy } from "./local-copy.ts";
import { chooseRemote, type Remote } from "./remote.ts";
import { fetchRemoteCopy, type NoRemoteCopy, type RemoteCopy } from "./remote-copy.ts";
import { headOf, type RunCopy } from "./run-copy.ts";
import { pushRun as pushCommit } from "./run-refs.ts";

export interface Pushed {
  readonly runId: string;
  readonly remote: string;
  /** `behind`: the remote has more; `taken`: what it has was kept, and is here now. */
  readonly result: "first" | "pushed" | "same" | "behind" | "taken";
  readonly version: number;
  /** Where the side that gave way is kept, beside the run's journal. */
  readonly kept: string | null;
}

export const keepInput = z.enum(["local", "remote"]).optional().describe("Which side counts where both have gone on.");
export const remoteInput = z
  .string()
  .optional()
  .describe("The git remote; by default the one that the branch follows.");
export const howToChoose = "--keep local or --keep remote";

export const pushRun = defineOperation({
  summary: "Send a run to the project's git remote. No branch, file or index is touched.",
  input: z.strictObject({
    run: z.string().optional().describe("The run; by default the only live one here."),
    remote: remoteInput,
    keep: keepInput,
    yes: z.boolean().optional().describe("Do not ask."),
  }),
  async run(deps, { run: named, remote: remoteName, keep, yes: sure = false }): Promise<Outcome<Pushed>> {
    const chosen = await chooseRun(deps, named);
    if (!chosen.ok) return chosen;
    const remote = await chooseRemote(deps, remoteName);
    if (!remote.ok) return remote;
    const agent = keep === undefined ? null : refuseAgent(deps, "choosing between two sides of a run");
    if (agent !== null) return agent;
    return push(deps, remote.value, chosen.value.run.runId, { keep, sure });
  },
});

interface Wish {
  readonly keep: "local" | "remote" | undefined;
  readonly sure: boolean;
}

/** Whoever pushes at the same moment and is faster makes us look again, but not for ever. */
export async function push(deps: Deps, remote: Remote, runId: string, wish: Wish): Promise<Outcome<Pushed>> {
  let lost: Attempt | null = null;
  for (let turn = 0; turn < mostTurns; turn++) {
    const tried: Outcome<Done | Attempt> = await tryPush(deps, remote, runId, { wish, lost });
    if (!tried.ok) return tried;
    if ("result" in tried.value) return yes({ runId, remote: remote.name, ...tried.value });
    lost = tried.value;
  }
  throw gitFailed(["push"], `others were faster ${mostTurns} times`);
}

const mostTurns = 20;

/** A push that was not taken: what was seen there before it, and what was sent. */
interface Attempt {
  readonly seen: string | null;
  readonly sent: string;
}

interface Trying {
  readonly wish: Wish;
  readonly lost: Attempt | null;
}

async function tryPush(
  deps: Deps,
  remote: Remote,
  runId: string,
  { wish, lost }: Trying,
): Promise<Outcome<Done | Attempt>> {
  const mine = await readLocalCopy(deps, runId);
  if (mine === null) return no({ code: "run-unknown", run: runId });
  deps.caller.progress?.(`asking ${remote.name}`);
  const other = await fetchRemoteCopy(remote, runId);
  if (lost !== null) refuseUnmoved(remote, lost, other.commit);
  const plan = await planFor(deps, remote, mine, { other, wish, asked: lost !== null });
  if (!plan.ok) return plan;
  if (plan.value === "take") return take(deps, remote, other);
  if (plan.value === "send") return send(deps, remote, mine, other);
  return yes({ result: plan.value, version: headOf(mine).version, kept: null });
}

/** Where nobody was faster, looking again would show the same for ever. */
function refuseUnmoved({ name }: Remote, { seen, sent }: Attempt, now: string | null): void {
  if (now === sent) throw gitFailed(["push"], `only some of the addresses that ${name} pushes to took the run`);
  if (now !== seen) return;
  const problem = `${name} shows one state of the run and has another: it may hide refs/holdfast (hideRefs)`;
  throw gitFailed(["push"], problem);
}

type Plan = "send" | "take" | "same" | "behind";
type Done = Pick<Pushed, "result" | "version" | "kept">;

interface Planning {
  readonly other: RemoteCopy | NoRemoteCopy;
  readonly wish: Wish;
  /** Whether a person has agreed already in this very push. */
  readonly asked: boolean;
}

async function planFor(deps: Deps, remote: Remote, mine: RunCopy, planning: Planning): Promise<Outcome<Plan>> {
  const { other, wish, asked } = planning;
  if (other.commit !== null) return planNext(remote, mine, other, wish);
  const sure = wish.sure || asked;
  return (await confirmPush(deps, remote, mine, { sure, again: other.before })) ?? yes("send");
}

/** What is to be done about a remote that has the run already. */
function planNext(remote: Remote, mine: RunCopy, { copy }: RemoteCopy, { keep }: Wish): Outcome<Plan> {
  if (!copy.ok) return keep === "local" ? yes("send") : no(withWayOut(copy.refusal));
  const { type } = relate(mine.commits, copy.value.commits);
  if (type === "same" || type === "behind") return yes(type);
  if (type === "ahead" || keep === "local") return yes("send");
  if (keep === "remote") return yes("take");
  const heads = { here: headOf(mine), there: headOf(copy.value) };
  return no({ code: "runs-diverged", run: mine.run.runId, from: remote.name, ...heads, choose: howToChoose });
}

/** The run is sound here, so that what is damaged there can give way. */
function withWayOut(refusal: Refusal): Refusal {
  return refusal.code === "copy-damaged" ? { ...refusal, choose: "--keep local" } : refusal;
}

async function take(deps: Deps, remote: Remote, other: RemoteCopy | NoRemoteCopy): Promise<Outcome<Done>> {
  if (other.commit === null || !other.copy.ok) throw new Error("only a sound copy that is there can be taken");
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
  return yes({ result: seen === null ? "first" : "pushed", version: headOf(mine).version, kept });
}

/** What gives way on the remote is kept here; the remote has it too, as the push before ours. */
function keepOther({ files }: Deps, mine: RunCopy, { copy }: RemoteCopy): string | null {
  if (!copy.ok || relate(mine.commits, copy.value.commits).type !== "diverged") return null;
  const name = keptName(copy.value);
  files.write(mine.run.runId, name, plainJournal(copy.value.commits).toString(), "flushed");
  return name;
}
