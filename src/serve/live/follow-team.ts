import { cardsElsewhere, isTeamAway } from "../../app/dashboard/team-runs.ts";
import { isHoldfastError } from "../../errors.ts";
import type { Deps } from "../../operation/operation.ts";
import type { LiveMessage } from "../contract/contract.ts";

/** Brings what other machines change in a shared project. In a project with files there is nothing to do. */
export interface TeamFollower {
  /** Starts what is due, and waits for nothing: a database may be slow to answer, or never answer. */
  look(tell: (message: LiveMessage) => void): void;
  stop(): Promise<void>;
}

type Shared = Exclude<Awaited<ReturnType<Deps["shared"]>>, Error | null>;

/** In milliseconds: how often a database that nobody asks anything is asked whether it is there. */
const askEvery = 5_000;

/**
 * What changes in a run with a copy here is fetched, and whoever watches the files tells of it. Of other runs the card
 * is told, as the team's list has it.
 */
export function followTeam(project: string, deps: Deps, report: (error: unknown) => void): TeamFollower {
  const changed = new Set<string>();
  let followed: { readonly shared: Shared; stop(): Promise<void> } | null = null;
  let asked = Number.NEGATIVE_INFINITY;
  let wasAway: boolean | null = null;
  let working: Promise<void> | null = null;
  let isStopped = false;

  async function leave(): Promise<void> {
    const left = followed;
    followed = null;
    await left?.stop();
  }

  /** Whether it has begun to follow just now: what has changed before is not known. */
  async function begin(shared: Shared): Promise<boolean> {
    if (followed?.shared === shared) return false;
    await leave();
    const following = await shared.shared.follow((run) => changed.add(run));
    followed = { shared, stop: following.stop };
    return true;
  }

  async function bring(shared: Shared, tell: (message: LiveMessage) => void): Promise<void> {
    if (changed.size === 0) return;
    const runs = [...changed];
    changed.clear();
    const here = new Set(deps.index.names());
    await shared.refresh(runs.filter((run) => here.has(run)));
    const others = new Set(runs.filter((run) => !here.has(run)));
    if (others.size === 0) return;
    for (const card of await cardsElsewhere(deps, others)) tell({ type: "run", card: { project, ...card } });
  }

  async function work(tell: (message: LiveMessage) => void): Promise<void> {
    const shared = await deps.shared();
    if (shared === null || shared instanceof Error) return leave();
    try {
      if (Date.now() - asked >= askEvery) {
        asked = Date.now();
        if (await begin(shared)) tell({ type: "reset" });
        else await shared.shared.heads([]);
      }
      await bring(shared, tell);
    } catch (error) {
      if (!isHoldfastError(error)) throw error;
    }
    // Pages say since when they show copies only, and read all anew when that is over.
    const isAway = isTeamAway(deps);
    if (wasAway !== null && wasAway !== isAway) tell({ type: "reset" });
    wasAway = isAway;
  }

  return {
    look(tell) {
      if (isStopped) return;
      working ??= work(tell)
        .catch(report)
        .finally(() => {
          working = null;
        });
    },
    async stop() {
      isStopped = true;
      await working;
      await leave();
    },
  };
}
