import { reportDriving } from "../app/driving/report-driving.ts";
import type { Parking } from "../model/driving/driving.ts";
import type { StartedRun } from "../model/run.ts";
import { isLive } from "../model/run-state.ts";
import type { AgentEvent } from "./agents/agent.ts";
import type { Driver } from "./driver.ts";

type UsageEvent = Extract<AgentEvent, { type: "usage" | "cost" }>;

/** Records what an agent uses during a turn. */
export interface UsageRecorder {
  add(event: UsageEvent): void;
  /** Waits until everything is in the journal. */
  recorded(): Promise<unknown>;
}

/** Records what the agent uses as soon as it tells, so that a kill loses nothing. `overspent` is called when a budget is spent. */
export function createUsageRecorder(driver: Driver, token: string, overspent: () => void): UsageRecorder {
  const { spent, agent, report } = driver;
  let recorded: Promise<unknown> = Promise.resolve();
  return {
    add(event) {
      const used = usedIn(event);
      spent.turns += used.turns ?? 0;
      spent.cost += used.cost ?? 0;
      if (used.tokens !== undefined) spent.tokens = (spent.tokens ?? 0) + used.tokens;
      const { turns, tokens, cost } = spent;
      report({ type: "usage", turns, tokens, cost: agent.can.reportCost ? cost : null });
      recorded = recorded.then(async () => {
        if (await isSpentAfter(driver, token, used)) overspent();
      });
      // What goes wrong here comes out when the turn has ended.
      recorded.catch(() => {});
    },
    recorded: () => recorded,
  };
}

interface Used {
  readonly turns?: number;
  readonly tokens?: number;
  readonly cost?: number;
}

function usedIn(event: UsageEvent): Used {
  if (event.type === "cost") return { cost: event.cost };
  return { turns: event.turns, ...(event.tokens !== null && { tokens: event.tokens }) };
}

/** Whether a person has to decide about a budget now. */
async function isSpentAfter({ deps, runId }: Driver, token: string, used: Used): Promise<boolean> {
  const { session } = deps.caller;
  const named = await reportDriving(deps, runId, { type: "count", token, session, ...used });
  // The agent may have moved the run on by setting the tasks of a loop.
  const counted = named.ok ? named : await reportDriving(deps, runId, { type: "count", session, ...used });
  if (!counted.ok) return false;
  return isUnderReview(counted.value.run, token);
}

function isUnderReview(run: StartedRun, token: string): boolean {
  return isLive(run) && run.visits.some((visit) => visit.token === token && visit.review !== null);
}

/** Whether a budget of minutes, which nobody reports, is spent. */
export async function isOutOfTime({ deps, runId }: Driver, token: string): Promise<boolean> {
  const opened = await reportDriving(deps, runId, { type: "open-review", token });
  return opened.ok && isUnderReview(opened.value.run, token);
}

/** The limit of this runner that is reached; null if it may go on. */
export function reachedLimit({ spent, options: { most }, began }: Driver): Parking | null {
  const { cost, minutes, turns } = most;
  const reached = [
    cost !== undefined && spent.cost >= cost ? `--max-cost ${cost}` : null,
    turns !== undefined && spent.turns >= turns ? `--max-turns ${turns}` : null,
    minutes !== undefined && Date.now() - began >= minutes * 60_000 ? `--max-minutes ${minutes}` : null,
  ].find((limit) => limit !== null);
  return reached === undefined ? null : { why: "budget", reason: `${reached} is reached` };
}
