import { claimNeeded } from "../../engine/commands/find-target-visit.ts";
import type { Standing } from "../../journal/run-journal.ts";
import type { StartedRun } from "../../model/run.ts";
import { claimsOf, isLive } from "../../model/run-state.ts";
import type { Template } from "../../model/template.ts";
import { type Deps, no, type Outcome, yes } from "../../operation/operation.ts";
import { changeRun } from "./change-run.ts";
import { focusAfter } from "./focus.ts";
import { expiredClaims } from "./keep-leases.ts";

/** What the caller asks for: a certain visit, a certain task, or what it should work on. */
export interface Asked {
  readonly token?: string | undefined;
  readonly task?: string | undefined;
}

/** A run, and the visit of it that the caller works on, in a loop that several agents work on. */
export interface Claimed {
  readonly standing: Standing;
  readonly visit: string | null | undefined;
}

/** Gives the caller the task that it names, or one that is free if it has none. Elsewhere nothing is claimed. */
export async function claimTask(
  deps: Deps,
  standing: Standing,
  template: Template,
  { token, task }: Asked,
): Promise<Outcome<Claimed>> {
  const { session } = deps.caller;
  if (token !== undefined) return yes({ standing, visit: token });
  if (task === undefined && !needsClaim(standing.run, session)) return yes({ standing, visit: undefined });
  const changed = await changeRun(deps, standing, template, {
    command: async (run) => {
      const expired = isLive(run) ? await expiredClaims(deps, run) : [];
      return { type: "claim", session, task, expired };
    },
  });
  if (!changed.ok) return changed;
  const { standing: next, events } = changed.value;
  const visit = focusAfter(next.run, events) ?? tokenOf(next.run, task);
  // All that was found out is that claims are lost too often.
  if (visit === undefined && isLive(next.run)) return no(claimNeeded(next.run, session).refusal);
  return yes({ standing: next, visit });
}

function needsClaim(run: StartedRun, session: string | undefined): boolean {
  return isLive(run) && run.visits.some(({ claim }) => claim !== undefined) && claimsOf(run, session).length === 0;
}

function tokenOf(run: StartedRun, task: string | undefined): string | undefined {
  if (!isLive(run) || task === undefined) return undefined;
  return run.visits.find(({ place }) => place.type === "sub-step" && place.task === task)?.token;
}
