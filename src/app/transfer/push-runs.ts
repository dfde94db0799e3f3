import * as z from "zod";
import { HoldfastError, isHoldfastError } from "../../errors.ts";
import { wordRefusal } from "../../model/refusal/refusal.ts";
import { type Deps, defineOperation, type No, type Outcome, yes } from "../../operation/operation.ts";
import { chooseRun, surveyRuns } from "../runs/choose-run.ts";
import { refuseAgent } from "../workflows/person.ts";
import { relate } from "./compare.ts";
import { confirmPush } from "./confirm-push.ts";
import { readLocalCopy } from "./local-copy.ts";
import { keepInput, type Pushed, type PushOptions, push, remoteInput } from "./push-run.ts";
import { chooseRemote, type Remote } from "./remote.ts";
import { readRemoteCopy, withObjects } from "./remote-copy.ts";
import { headOf, type RunCopy } from "./run-copy.ts";
import { fetchAllPushed } from "./run-refs.ts";

/** One run of this project, and the result of pushing it. */
export type PushedRow =
  | Omit<Pushed, "remote">
  | { readonly runId: string; readonly result: "refused"; readonly problem: string; readonly next: string };

export interface PushedRuns {
  readonly remote: string;
  readonly runs: readonly PushedRow[];
  /** How many ended runs that were never pushed were skipped; each can be pushed by its id. */
  readonly left: number;
}

export const pushRuns = defineOperation({
  summary: "Send a run, or all that have changed, to the project's git remote. No branch, file or index is touched.",
  input: z.strictObject({
    run: z.string().optional().describe("The run; by default the only live one here."),
    all: z.boolean().optional().describe("All runs that are live or have changed since their last push."),
    remote: remoteInput,
    keep: keepInput,
    yes: z.boolean().optional().describe("Do not ask first."),
  }),
  async run(deps, input): Promise<Outcome<Pushed | PushedRuns>> {
    const { run: named, all = false, remote: remoteName, keep, yes: sure = false } = input;
    const chosen = all ? null : await chooseRun(deps, named);
    if (chosen?.ok === false) return chosen;
    const remote = await chooseRemote(deps, remoteName);
    if (!remote.ok) return remote;
    const agent = keep === undefined ? null : refuseAgent(deps, "choosing between two sides of a run");
    if (agent !== null) return agent;
    const options = { keep, sure };
    return chosen === null
      ? yes(await pushAll(deps, remote.value, options))
      : push(deps, remote.value, chosen.value.run.runId, options);
  },
});

/** A run that cannot be sent does not stop the others. */
async function pushAll(deps: Deps, remote: Remote, options: PushOptions): Promise<PushedRuns> {
  const { glances, damaged } = await surveyRuns(deps);
  deps.caller.progress?.(`asking ${remote.name}`);
  const { there, gone } = await fetchAllPushed(remote);
  const rows: PushedRow[] = damaged.map(({ runId, error }) => refused(runId, error));
  const candidates = glances.filter(({ runId, endedAt }) => endedAt === null || there.has(runId));
  const changed: RunCopy[] = [];
  for (const { runId } of candidates) {
    const looked = await look(deps, remote, runId, there.get(runId));
    if ("result" in looked) rows.push(looked);
    else changed.push(looked);
  }
  const isNew = ({ run }: RunCopy) => !there.has(run.runId);
  const agreed = changed.filter((copy) => !isNew(copy));
  for (const again of [false, true]) {
    const asked = changed.filter((copy) => isNew(copy) && gone.has(copy.run.runId) === again);
    const refusal = asked.length === 0 ? null : await confirmPush(deps, remote, asked, { sure: options.sure, again });
    if (refusal === null) agreed.push(...asked);
    else rows.push(...asked.map(({ run }) => refused(run.runId, refusal)));
  }
  rows.push(...(await sendAll(deps, remote, agreed, { ...options, sure: true })));
  const runs = rows.sort((a, b) => (a.runId < b.runId ? -1 : 1));
  return { remote: remote.name, runs, left: glances.length - candidates.length };
}

/** The local run if the remote lacks something of it, otherwise how it stands. */
async function look(
  deps: Deps,
  remote: Remote,
  runId: string,
  commit: string | undefined,
): Promise<RunCopy | PushedRow> {
  try {
    const mine = await readLocalCopy(deps, runId);
    if (mine === null) return refused(runId, new HoldfastError("state-broken", { file: runId, problem: "it is gone" }));
    if (commit === undefined) return mine;
    const other = await withObjects(remote.repository, (objects) => readRemoteCopy(objects, remote, runId, commit));
    const relation = other.ok ? relate(mine.commits, other.value.commits).type : "diverged";
    if (relation !== "same" && relation !== "behind") return mine;
    return { runId, result: relation, version: headOf(mine).version, kept: null };
  } catch (error) {
    if (!isHoldfastError(error)) throw error;
    return refused(runId, error);
  }
}

/** When git fails for two runs one after the other, the remote is probably gone, and the rest would only take time. */
const mostFailures = 2;

async function sendAll(
  deps: Deps,
  remote: Remote,
  copies: readonly RunCopy[],
  options: PushOptions,
): Promise<PushedRow[]> {
  const rows: PushedRow[] = [];
  let failures = 0;
  let last: HoldfastError | null = null;
  for (const [index, { run }] of copies.entries()) {
    if (last !== null && failures >= mostFailures) {
      rows.push(refused(run.runId, last));
      continue;
    }
    deps.caller.progress?.(`run ${index + 1} of ${copies.length}`);
    try {
      const pushed = await push(deps, remote, run.runId, options);
      rows.push(pushed.ok ? rowOf(pushed.value) : refused(run.runId, pushed));
      failures = 0;
    } catch (error) {
      if (!isHoldfastError(error)) throw error;
      rows.push(refused(run.runId, error));
      last = error;
      failures = isHoldfastError(error, "git-failed") ? failures + 1 : 0;
    }
  }
  return rows;
}

function rowOf({ remote: _remote, ...row }: Pushed): PushedRow {
  return row;
}

function refused(runId: string, why: No | HoldfastError): PushedRow {
  const { message, next } = why instanceof HoldfastError ? why : wordRefusal(why.refusal);
  return { runId, result: "refused", problem: message, next };
}
