import * as z from "zod";
import { isHoldfastError } from "../../errors.ts";
import { type Refusal, wordRefusal } from "../../model/refusal/refusal.ts";
import { isLive } from "../../model/run-state.ts";
import { type Deps, defineOperation, no, type Outcome, yes } from "../../operation/operation.ts";
import { refuseLinks } from "../../platform/links.ts";
import { refuseAgent } from "../workflows/person.ts";
import { type Adopted, adoptCopy } from "./adopt-copy.ts";
import { howToChoose, keepInput, push, remoteInput } from "./push-run.ts";
import { chooseRemote, type Remote } from "./remote.ts";
import { readRemoteCopy, withObjects } from "./remote-copy.ts";
import { headOf, type RunCopy } from "./run-copy.ts";
import { fetchRuns, type RunRefs } from "./run-refs.ts";

/** One run of the remote, and the result of pulling it. */
export type PulledRun =
  | {
      readonly runId: string;
      readonly result: Adopted["result"] | "sent";
      readonly step: string;
      readonly kept: string | null;
      readonly released?: readonly string[];
      /** How many events have a time in the future. */
      readonly ahead: number;
    }
  | { readonly runId: string; readonly result: "refused"; readonly problem: string; readonly next: string };

export interface Pulled {
  readonly remote: string;
  readonly runs: readonly PulledRun[];
  /** How many ended runs that were never here were skipped; `all` pulls them too. */
  readonly left: number;
}

export const pullRuns = defineOperation({
  summary: "Pull runs from the project's git remote. No branch, file or index is touched.",
  input: z.strictObject({
    run: z.string().optional().describe("The run; by default all that are live or exist here."),
    all: z.boolean().optional().describe("Also ended runs."),
    remote: remoteInput,
    keep: keepInput,
  }),
  async run(deps, { run: named, all = false, remote: remoteName, keep }): Promise<Outcome<Pulled>> {
    refuseLinks(deps.roots.stateRoot);
    if (named !== undefined && !beginningOfId.test(named)) return no({ code: "run-unknown", run: named });
    const remote = await chooseRemote(deps, remoteName);
    if (!remote.ok) return remote;
    const agent = keep === undefined ? null : refuseAgent(deps, "choosing between two sides of a run");
    if (agent !== null) return agent;
    deps.caller.progress?.(`asking ${remote.value.name}`);
    const refs = await fetchRuns(remote.value, named ?? "");
    const pulling = { deps, remote: remote.value, keep };
    if (named === undefined) return pullAll(pulling, refs, all);
    const runs = [...refs.keys()];
    return runs.length > 1 ? no({ code: "run-ambiguous", runs, named }) : pullOne(pulling, refs, runs[0] ?? named);
  },
});

const beginningOfId = /^[a-z0-9][a-z0-9_-]*$/;

interface Pulling {
  readonly deps: Deps;
  readonly remote: Remote;
  readonly keep: "local" | "remote" | undefined;
}

async function pullOne(pulling: Pulling, refs: RunRefs, runId: string): Promise<Outcome<Pulled>> {
  const { remote } = pulling;
  const commit = refs.get(runId);
  if (commit === undefined) return no({ code: "remote-run-unknown", run: runId, remote: remote.name });
  const copy = await withObjects(remote.repository, (objects) => readRemoteCopy(objects, remote, runId, commit));
  const pulled = copy.ok ? await receive(pulling, copy.value) : copy;
  return pulled.ok ? yes({ remote: remote.name, runs: [pulled.value], left: 0 }) : pulled;
}

/** A run that cannot be taken does not stop the others. */
async function pullAll(pulling: Pulling, refs: RunRefs, all: boolean): Promise<Outcome<Pulled>> {
  const { deps, remote } = pulling;
  const here = new Set(await deps.store.list());
  const runs: PulledRun[] = [];
  let left = 0;
  await withObjects(remote.repository, async (objects) => {
    for (const [runId, commit] of refs) {
      deps.caller.progress?.(`run ${runs.length + left + 1} of ${refs.size}`);
      const row = await rowOf(runId, async () => {
        const copy = await readRemoteCopy(objects, remote, runId, commit);
        if (!copy.ok) return copy;
        const wanted = all || here.has(runId) || isLive(copy.value.run);
        return wanted ? receive(pulling, copy.value) : yes(null);
      });
      if (row === null) left += 1;
      else runs.push(row);
    }
  });
  return yes({ remote: remote.name, runs, left });
}

async function rowOf(runId: string, act: () => Promise<Outcome<PulledRun | null>>): Promise<PulledRun | null> {
  try {
    const outcome = await act();
    if (outcome.ok) return outcome.value;
    return { runId, result: "refused", ...describeRefusal(outcome.refusal) };
  } catch (error) {
    // A write error or a git failure would affect every run, so it ends the pull.
    if (!isHoldfastError(error) || isHoldfastError(error, "file-unwritable") || isHoldfastError(error, "git-failed"))
      throw error;
    return { runId, result: "refused", problem: error.message, next: error.next };
  }
}

function describeRefusal(refusal: Refusal): { readonly problem: string; readonly next: string } {
  const { message, next } = wordRefusal(refusal);
  return { problem: message, next };
}

async function receive({ deps, remote, keep }: Pulling, copy: RunCopy): Promise<Outcome<PulledRun>> {
  const adoption = { from: remote.name, overLocal: keep === "remote", choose: howToChoose };
  const adopted = await adoptCopy(deps, copy, adoption);
  const { runId } = copy.run;
  const { step } = headOf(copy);
  if (adopted.ok) return yes({ runId, step, ahead: aheadIn(deps, copy), ...adopted.value });
  if (adopted.refusal.code !== "runs-diverged" || keep !== "local") return adopted;
  const pushed = await push(deps, remote, runId, { keep, sure: false });
  if (!pushed.ok) return pushed;
  const sent = (await deps.journal.load(runId))?.run;
  return yes({ runId, step: sent?.last?.step ?? step, ahead: 0, result: "sent", kept: pushed.value.kept });
}

function aheadIn({ now }: Deps, { commits }: RunCopy): number {
  const present = Date.parse(now());
  return commits.flatMap(({ events }) => events).filter(({ at }) => Date.parse(at) > present).length;
}
