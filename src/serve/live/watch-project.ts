import { lstatSync } from "node:fs";
import { join } from "node:path";
import { cardOfRun } from "../../app/dashboard/board.ts";
import { liveRuns } from "../../app/runs/choose-run.ts";
import type { Deps } from "../../operation/operation.ts";
import { stateFolder } from "../../platform/links.ts";
import type { LiveMessage } from "../contract/contract.ts";
import { followTeam } from "./follow-team.ts";

/** Looks at the runs of one project again and again, and tells what is different from the last look. */
export interface ProjectWatch {
  look(tell: (message: LiveMessage) => void): Promise<void>;
  stop(): Promise<void>;
}

/** Every so many looks, cards are made again although no journal has changed: an agent may have been killed. */
const cardsEvery = 8;
/** So many ended runs are looked at with each look, in turn: a person may have reopened one. */
const endedAtOnce = 200;

interface Seen {
  stamp: string;
  /** The card as it was told last. */
  card: string;
}

/**
 * A look costs one stat for the folder of all runs, one for each live run and one for some of the ended ones.
 */
export function watchProject(project: string, deps: Deps, report: (error: unknown) => void): ProjectWatch {
  const runs = join(deps.roots.stateRoot, stateFolder, "runs");
  const team = followTeam(project, deps, report);
  const live = new Map<string, Seen>();
  /** The stamps of ended runs. */
  const ended = new Map<string, string>();
  let turn = 0;
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
    else {
      live.delete(runId);
      ended.set(runId, stamp);
    }
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
      ended.delete(runId);
      tell({ type: "gone", project, runId });
    }
    for (const runId of now) if (!before.has(runId)) await tellRun(runId, stampOf(runs, runId), tell);
  }

  async function begin(): Promise<void> {
    listed = deps.index.names();
    names = new Set(listed);
    for (const { runId } of await liveRuns(deps)) await tellRun(runId, stampOf(runs, runId), () => {});
  }

  async function lookAtEnded(tell: (message: LiveMessage) => void): Promise<void> {
    if (turn >= listed.length) turn = 0;
    const some = listed.slice(turn, turn + endedAtOnce);
    turn += endedAtOnce;
    for (const runId of some) {
      if (live.has(runId)) continue;
      const stamp = stampOf(runs, runId);
      const hasMoved = ended.has(runId) && ended.get(runId) !== stamp;
      ended.set(runId, stamp);
      if (hasMoved) await tellRun(runId, stamp, tell);
    }
  }

  return {
    async look(tell) {
      looks += 1;
      if (looks === 1) return begin();
      team.look(tell);
      await lookAtNames(tell);
      for (const [runId, seen] of [...live]) {
        const stamp = stampOf(runs, runId);
        if (stamp !== seen.stamp || looks % cardsEvery === 0) await tellRun(runId, stamp, tell);
      }
      await lookAtEnded(tell);
    },
    stop: () => team.stop(),
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
