import { lstatSync } from "node:fs";
import { join } from "node:path";
import { cardOfRun } from "../../app/dashboard/board.ts";
import { liveRuns } from "../../app/runs/choose-run.ts";
import type { Deps } from "../../operation/operation.ts";
import { stateFolder } from "../../platform/links.ts";
import type { LiveMessage } from "../contract/contract.ts";

/** Looks at the runs of one project again and again, and tells what is different from the last look. */
export interface ProjectWatch {
  look(tell: (message: LiveMessage) => void): Promise<void>;
}

/** Every so many looks, cards are made again although no journal has changed: an agent may have been killed. */
const cardsEvery = 8;
/** Every so many looks, ended runs are looked at, too: a person may have reopened one. */
const allEvery = 60;

interface Seen {
  stamp: string;
  /** The card as it was told last. */
  card: string;
}

/**
 * A look costs one stat for the folder of all runs and one for each live run. An ended run is looked at when it ends, and
 * rarely after that.
 */
export function watchProject(project: string, deps: Deps): ProjectWatch {
  const runs = join(deps.roots.stateRoot, stateFolder, "runs");
  const live = new Map<string, Seen>();
  let names: ReadonlySet<string> = new Set();
  let listed: readonly string[] = [];
  let looks = 0;

  async function tellRun(runId: string, stamp: string, tell: (message: LiveMessage) => void): Promise<void> {
    const seen = live.get(runId);
    const found = await cardOfRun(deps, runId);
    if (found === null) {
      // It cannot be read now; the stamp is kept, so that nothing is tried until it changes.
      live.set(runId, { stamp, card: "" });
      return;
    }
    const card = { project, ...found.card };
    const text = JSON.stringify(card);
    if (seen?.stamp !== stamp) tell({ type: "moved", project, runId, lastEvent: found.lastEvent });
    if (seen?.card !== text) tell({ type: "run", card });
    if (card.endedAt === null) live.set(runId, { stamp, card: text });
    else live.delete(runId);
  }

  /** The runs that are there; tells which are gone, and looks at those that are new. */
  async function lookAtNames(tell: (message: LiveMessage) => void): Promise<void> {
    const now = deps.index.names();
    if (now === listed) return;
    const before = names;
    listed = now;
    names = new Set(now);
    for (const runId of before) {
      if (names.has(runId)) continue;
      live.delete(runId);
      tell({ type: "gone", project, runId });
    }
    for (const runId of now) if (!before.has(runId)) await tellRun(runId, stampOf(runs, runId), tell);
  }

  async function begin(): Promise<void> {
    listed = deps.index.names();
    names = new Set(listed);
    await lookAtAll(() => {});
  }

  async function lookAtAll(tell: (message: LiveMessage) => void): Promise<void> {
    for (const { runId } of await liveRuns(deps)) {
      if (!live.has(runId)) await tellRun(runId, stampOf(runs, runId), tell);
    }
  }

  return {
    async look(tell) {
      looks += 1;
      if (looks === 1) return begin();
      await lookAtNames(tell);
      for (const [runId, seen] of [...live]) {
        const stamp = stampOf(runs, runId);
        if (stamp !== seen.stamp || looks % cardsEvery === 0) await tellRun(runId, stamp, tell);
      }
      if (looks % allEvery === 0) await lookAtAll(tell);
    },
  };
}

/** Changes with every commit. */
function stampOf(runs: string, runId: string): string {
  try {
    const stats = lstatSync(`${runs}/${runId}/journal.jsonl`, { throwIfNoEntry: false });
    return stats === undefined ? "" : `${stats.ino} ${stats.size} ${stats.ctimeMs}`;
  } catch (error) {
    // Reading it will report the error.
    if (error instanceof Error && "code" in error) return "";
    throw error;
  }
}
