import { journalAt, standingAt } from "../../journal/past.ts";
import type { Standing } from "../../journal/run-journal.ts";
import { type Deps, no, type Outcome, yes } from "../../operation/operation.ts";
import { chooseRunOrLast } from "./choose-run.ts";
import type { MomentFacts } from "./reply.ts";

/** Which run is meant, and when; by default the only live one here, now. */
export interface MomentOfRun {
  readonly run?: string | undefined;
  /** Right after this event. */
  readonly at?: number | undefined;
}

/** A run at some moment: everything is read from `deps`, which end there. */
export interface RunAt {
  readonly deps: Deps;
  readonly standing: Standing;
  /** Absent for now. */
  readonly moment?: MomentFacts;
}

/** The run that is meant, as it is or as it was right after an event. */
export async function chooseMoment(deps: Deps, named: string | undefined, at?: number): Promise<Outcome<RunAt>> {
  const chosen = await chooseRunOrLast(deps, named);
  if (!chosen.ok) return chosen;
  return at === undefined ? yes({ deps, standing: chosen.value }) : momentOf(deps, chosen.value, at);
}

export async function momentOf(deps: Deps, { run }: Standing, at: number): Promise<Outcome<Required<RunAt>>> {
  const found = await standingAt(deps.history, run.runId, at);
  if (found === null) return no({ code: "event-unknown", event: at, last: run.seq });
  const { event, standing } = found;
  const moment = { event: at, type: event.type, at: event.at, last: run.seq };
  return yes({ deps: { ...deps, journal: journalAt(deps.journal, found), now: () => event.at }, standing, moment });
}
