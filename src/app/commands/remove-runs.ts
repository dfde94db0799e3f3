import { existsSync } from "node:fs";
import { join } from "node:path";
import * as z from "zod";
import { HoldfastError, isHoldfastError } from "../../errors.ts";
import { isLive } from "../../model/run-state.ts";
import { afterwards } from "../../operation/afterwards.ts";
import {
  type Deps,
  defineOperation,
  type No,
  no,
  type Outcome,
  refuseStale,
  sharedStore,
  yes,
} from "../../operation/operation.ts";
import { refuseLinks, stateFolder } from "../../platform/links.ts";
import { readCopyMark } from "../../store/copy-mark.ts";
import { contradiction } from "../../store/head-differences.ts";
import { isCopy, journalPath } from "../../store/journal-file.ts";
import type { SharedStore } from "../../store/store.ts";
import { createServerPorts } from "../continuity/ports/server-ports.ts";
import { findRun, findRunId, surveyRuns, unknownRun, workedOnHere } from "../runs/choose-run.ts";
import { readFrozen } from "../workflows/frozen-template.ts";
import { refuseAgent } from "../workflows/person.ts";

export interface Removed {
  readonly removed: readonly string[];
}

export const yesFlag = z.boolean().optional().describe("Do not ask first.");

export const removeRun = defineOperation({
  summary: "Remove a run that has ended, with its journal.",
  input: z.strictObject({
    run: z.string().optional().describe("The run; by default the only ended one."),
    yes: yesFlag,
  }),
  async run(deps, input): Promise<Outcome<Removed>> {
    refuseLinks(deps.roots.stateRoot);
    const named = input.run === undefined ? await onlyEnded(deps) : await findRunId(deps, input.run, "ended");
    if (!named.ok) return named;
    const runId = named.value;
    if (await isForeignCopy(deps, runId)) {
      // The project has left the shared store, or has another name there, and nobody can end the run here.
      return remove(deps, runId, input.yes === true, " here, the copy of a run in a shared store");
    }
    const damage = await damageOf(deps, runId);
    if (damage === null) {
      const found = await findRun(deps, runId);
      if (!found.ok) return found;
      if (isLive(found.value.run)) {
        refuseStale(deps);
        return no({ code: "run-live", run: runId });
      }
    }
    if (await isShared(deps, runId)) return removeShared(deps, runId, damage, input.yes === true);
    return remove(deps, runId, input.yes === true);
  },
});

/** Whether it is the copy of a run that is not in the shared store of this project, or of one while there is none. */
async function isForeignCopy(deps: Deps, runId: string): Promise<boolean> {
  const root = runsFolder(deps);
  const shared = await deps.shared();
  if (shared === null) return isCopy(root, runId);
  const project = readCopyMark(root, runId)?.project;
  return project !== undefined && !(shared instanceof Error) && project !== shared.shared.project;
}

/** Whether it is a copy, or only in the shared store: one that is damaged there is not copied. */
async function isShared(deps: Deps, runId: string): Promise<boolean> {
  const root = runsFolder(deps);
  return isCopy(root, runId) || (!existsSync(journalPath(root, runId)) && (await deps.shared()) !== null);
}

/** Removes a run for everyone who shares it, and the copy of it here. */
async function removeShared(
  deps: Deps,
  runId: string,
  damage: HoldfastError | null,
  sure: boolean,
): Promise<Outcome<Removed>> {
  const store = await sharedStore(deps);
  const head = (await store?.shared.heads([runId]))?.get(runId);
  if (store !== null && head === undefined && (await hasLines(store.shared, runId))) {
    throw contradiction(store.shared.where, runId);
  }
  // Whatever else is wrong may be so only here, and the others may still work on it.
  if (head !== undefined && damage !== null && !isLost(damage)) throw damage;
  const where = head === undefined ? "" : ` from ${store?.shared.where}, for everyone`;
  return remove(deps, runId, sure, where, async () => {
    if (head === undefined) return removeHere(deps, [runId]);
    if ((await store?.shared.removeRun(runId, head)) === false) {
      throw new HoldfastError("version-conflict", { run: runId, expected: head.version });
    }
    // The run is gone, for everyone. A copy that stays is marked as removed at the next look, and gc removes it.
    await afterwards(() => removeHere(deps, [runId]));
  });
}

async function hasLines(shared: SharedStore, runId: string): Promise<boolean> {
  try {
    for await (const _line of shared.readLines(runId)) return true;
    return false;
  } catch (error) {
    if (isHoldfastError(error, "journal-corrupt")) return true;
    throw error;
  }
}

async function onlyEnded(deps: Deps): Promise<Outcome<string>> {
  const found = await surveyRuns(deps);
  const [glances, damaged] = [await workedOnHere(deps, found.glances), await workedOnHere(deps, found.damaged)];
  const ended = glances.filter(({ endedAt }) => endedAt !== null).map(({ runId }) => runId);
  const runs = [...ended, ...damaged.map(({ runId }) => runId)];
  const [first = glances[0]?.runId] = runs;
  if (first === undefined) return unknownRun(deps, null);
  return runs.length > 1 ? no({ code: "run-ambiguous", runs, ended: true }) : yes(first);
}

export function runsFolder({ roots }: Deps): string {
  return join(roots.stateRoot, stateFolder, "runs");
}

function isLost({ code }: HoldfastError): boolean {
  return code === "journal-corrupt" || code === "state-broken";
}

/** Why a run can never continue: it cannot be read, or has lost its template. */
async function damageOf(deps: Deps, runId: string): Promise<HoldfastError | null> {
  try {
    const found = await findRun(deps, runId);
    if (found.ok) await readFrozen(deps, found.value.run);
    return null;
  } catch (error) {
    if (isHoldfastError(error)) return error;
    throw error;
  }
}

async function remove(
  deps: Deps,
  runId: string,
  sure: boolean,
  where = "",
  act = () => removeHere(deps, [runId]),
): Promise<Outcome<Removed>> {
  const agent = refuseAgent(deps, "removing a run");
  if (agent !== null) return agent;
  const refused = sure ? null : await askFirst(deps, `this permanently removes ${runId}${where}`);
  if (refused !== null) return refused;
  await act();
  return yes({ removed: [runId] });
}

export async function removeHere(deps: Deps, runs: readonly string[]): Promise<void> {
  const { cards } = await createServerPorts(deps);
  for (const run of runs) {
    await deps.files.removeRun(run);
    cards?.remove({ runId: run });
  }
}

/** Null if the person agrees. */
export async function askFirst({ caller }: Deps, what: string): Promise<No | null> {
  const agreed = (await caller.confirm?.(`${what}. Continue?`)) === true;
  return agreed ? null : no({ code: "confirmation-needed", what });
}
