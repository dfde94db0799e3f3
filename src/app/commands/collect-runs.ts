import { join } from "node:path";
import * as z from "zod";
import { isHoldfastError } from "../../errors.ts";
import type { Glance } from "../../journal/stored-runs.ts";
import { type Deps, defineOperation, type Outcome, sharedStore, yes } from "../../operation/operation.ts";
import { namesInFolder } from "../../platform/files.ts";
import { createCopyFiles } from "../../store/copy-file.ts";
import { isCopy, isRemovedCopy } from "../../store/journal-file.ts";
import { isLeftover } from "../../store/leftover-run.ts";
import { createNoticeQueue } from "../../store/notice-queue.ts";
import type { Head } from "../../store/store.ts";
import { allRuns } from "../runs/choose-run.ts";
import { refuseAgent } from "../workflows/person.ts";
import { askFirst, type Removed, removeHere, runsFolder, yesFlag } from "./remove-runs.ts";

export interface Collected extends Removed {
  /** Shared runs whose copies were removed from this machine. The runs themselves stay in the database, unless the team has removed them. */
  readonly copies?: readonly string[];
  /** Those whose copies stay, because they may have something that the database lacks. */
  readonly kept?: readonly string[];
  /** Why the database could not be asked, and no copy was removed. */
  readonly problem?: string;
  /** Folders that starts have left which were killed before they stored anything. */
  readonly leftovers?: readonly string[];
}

const dayMs = 24 * 60 * 60 * 1_000;

export const collectRuns = defineOperation({
  summary: "Remove all runs that ended some time ago, with their journals. Of shared runs only the copies here.",
  input: z.strictObject({
    days: z.number().nonnegative().default(30).describe("The minimum age, in days."),
    yes: yesFlag,
  }),
  async run(deps, { days, yes: sure }): Promise<Outcome<Collected>> {
    const agent = refuseAgent(deps, "removing a run");
    if (agent !== null) return agent;
    const now = Date.parse(deps.now());
    const root = runsFolder(deps);
    const isOld = ({ endedAt }: Glance) => endedAt !== null && Date.parse(endedAt) <= now - days * dayMs;
    const old = (await allRuns(deps)).filter(isOld).map(({ runId }) => runId);
    // Whether the team has removed them was asked just now, if the database can be reached.
    const gone = deps.index.names().filter((runId) => isRemovedCopy(root, runId));
    const removed = old.filter((runId) => !isCopy(root, runId));
    const copies = [...new Set([...old.filter((runId) => isCopy(root, runId)), ...gone])];
    const isAsked = removed.length + copies.length > 0 && sure !== true;
    const refused = isAsked ? await askFirst(deps, whatOf(removed, copies, gone.length)) : null;
    if (refused !== null) return refused;
    await removeHere(deps, removed);
    const ofCopies = await collectCopies(deps, copies);
    // No start takes a day, so none of these is under way.
    const leftovers = deps.index.names().filter((runId) => isLeftover(root, runId, now - dayMs));
    for (const runId of leftovers) await deps.files.removeRun(runId);
    return yes({ removed, ...ofCopies, ...(leftovers.length > 0 && { leftovers }) });
  },
});

function whatOf(removed: readonly string[], copies: readonly string[], gone: number): string {
  const count = (of: readonly string[], what: string) => `${of.length} ${what}${of.length === 1 ? "" : "s"}`;
  const [first] = removed;
  const forever = removed.length === 1 ? first : count(removed, "run");
  const here = copies.length === 1 ? "the copy of a shared run" : `the copies of ${count(copies, "shared run")}`;
  return [
    ...(removed.length === 0 ? [] : [`this permanently removes ${forever}`]),
    ...(copies.length === 0 ? [] : [`this removes ${here} from this machine; ${keptText(copies.length, gone)}`]),
  ].join(", and ");
}

function keptText(copies: number, gone: number): string {
  if (gone === copies) return `the team has removed ${copies === 1 ? "it" : "them"} from the database`;
  return `the database keeps them${gone === 0 ? "" : `, except for ${gone} that the team has removed`}`;
}

/** A copy can be fetched again, as long as the database has all that is in it. One that the team has removed is not wanted. */
async function collectCopies(deps: Deps, copies: readonly string[]): Promise<Omit<Collected, "removed" | "leftovers">> {
  if (copies.length === 0) return {};
  try {
    const shared = (await sharedStore(deps))?.shared;
    const heads = await shared?.heads(copies);
    const root = runsFolder(deps);
    const removals = await shared?.removals(copies.filter((runId) => isRemovedCopy(root, runId)));
    const isGone = (runId: string) => removals?.has(runId) === true && !hasFormer(root, runId);
    const isSpare = (runId: string) => isGone(runId) || isStored(root, runId, heads?.get(runId));
    const [spare, kept] = [copies.filter(isSpare), copies.filter((runId) => !isSpare(runId))];
    await removeHere(deps, spare);
    return { copies: spare, kept };
  } catch (error) {
    if (!isHoldfastError(error) || !/^(store-|settings-)/.test(error.code)) throw error;
    return { copies: [], kept: copies, problem: error.message };
  }
}

/** Former journals that were replaced are kept beside the copy, and nobody else has them. */
const otherJournal = /^journal\.(?!jsonl$)/;

function isStored(root: string, run: string, head: Head | undefined): boolean {
  const journals = createCopyFiles(root);
  const last = journals.last(run);
  journals.close();
  if (head === undefined || last?.id !== head.id || last.version !== head.version) return false;
  return !hasFormer(root, run) && createNoticeQueue(root, run).read().length === 0;
}

function hasFormer(root: string, run: string): boolean {
  return namesInFolder(join(root, run)).some((name) => otherJournal.test(name));
}
