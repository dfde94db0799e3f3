import { isDeepStrictEqual } from "node:util";
import * as z from "zod";
import { replay } from "../../engine/evolve/evolve.ts";
import { HoldfastError } from "../../errors.ts";
import type { Standing } from "../../journal/run-journal.ts";
import { snapshotName } from "../../journal/snapshot.ts";
import type { RunEvent } from "../../model/event.ts";
import type { RunStatus } from "../../model/run.ts";
import { defineOperation, no, type Outcome, yes } from "../../operation/operation.ts";
import { knownMachineName } from "../../project/machine.ts";
import { chooseRunOrLast } from "../runs/choose-run.ts";
import { type ForeignEvents, foreignEvents } from "../transfer/foreign.ts";

const run = z.string().optional().describe("The run; by default the only live one here.");

export interface Log extends ForeignEvents {
  readonly runId: string;
  readonly status: RunStatus;
  readonly events: readonly RunEvent[];
}

/** The whole journal, or the events after one. Reading checks every line and the hash chain. */
export const readLog = defineOperation({
  summary: "The events of a run.",
  input: z.strictObject({ run, after: z.int().nonnegative().optional().describe("Only events after this one.") }),
  async run(deps, { run: named, after = 0 }): Promise<Outcome<Log>> {
    const chosen = await chooseRunOrLast(deps, named);
    if (!chosen.ok) return chosen;
    const { runId, status, seq } = chosen.value.run;
    const events: RunEvent[] = [];
    if (seq > after) {
      for await (const commit of deps.store.read(runId)) events.push(...commit.events);
    }
    if (after === 0) refuseForged(chosen.value, events);
    const { foreign, ahead } = foreignEvents(events, await knownMachineName(deps.user));
    const isNew = (number: number) => number > after;
    const shown = events.filter(({ seq: number }) => isNew(number));
    return yes({ runId, status, events: shown, foreign: foreign.filter(isNew), ahead: ahead.filter(isNew) });
  },
});

/** With the whole journal read, checks that the loaded state, which may come from a snapshot, follows from it. */
function refuseForged({ run }: Standing, events: readonly RunEvent[]): void {
  if (isDeepStrictEqual(replay(events.filter((event) => event.seq <= run.seq)), run)) return;
  throw new HoldfastError("state-broken", {
    file: `${run.runId}/${snapshotName}`,
    problem: "it contradicts the journal; remove it to rebuild it from the journal",
  });
}

export const showEvent = defineOperation({
  summary: "One event of a run, in full.",
  input: z.strictObject({ run, event: z.int().positive().describe("The event's number.") }),
  async run(deps, input): Promise<Outcome<RunEvent>> {
    const chosen = await chooseRunOrLast(deps, input.run);
    if (!chosen.ok) return chosen;
    for await (const commit of deps.store.read(chosen.value.run.runId)) {
      const found = commit.events.find((event) => event.seq === input.event);
      if (found !== undefined) return yes(found);
    }
    return no({ code: "event-unknown", event: input.event, last: chosen.value.run.seq });
  },
});
