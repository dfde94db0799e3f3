import { isDeepStrictEqual } from "node:util";
import * as z from "zod";
import { evolve } from "../../engine/evolve/evolve.ts";
import { HoldfastError } from "../../errors.ts";
import { standingAt } from "../../journal/past.ts";
import type { Standing } from "../../journal/run-journal.ts";
import { snapshotName } from "../../journal/snapshot.ts";
import type { RunEvent } from "../../model/event.ts";
import { isRecord, parseJson } from "../../model/json.ts";
import type { Run, RunStatus } from "../../model/run.ts";
import { type Deps, defineOperation, no, type Outcome, yes } from "../../operation/operation.ts";
import { knownMachineName } from "../../project/machine.ts";
import { visitLogFile } from "../../store/visit-log.ts";
import { chooseRunOrLast } from "../runs/choose-run.ts";
import { type ForeignEvents, foreignEvents } from "../transfer/foreign.ts";

const run = z.string().optional().describe("The run; by default the only live one here.");

export interface Log extends ForeignEvents {
  readonly runId: string;
  readonly status: RunStatus;
  readonly events: readonly RunEvent[];
  /** Instead of events: what a driven agent was asked, did and answered in one visit. */
  readonly visit?: readonly VisitLogEntry[];
}

export type VisitLogEntry = Readonly<Record<string, unknown>>;

/** The whole journal, or the events after one. Reading checks every line and the hash chain. */
export const readLog = defineOperation({
  summary: "The events of a run.",
  input: z.strictObject({
    run,
    after: z.int().nonnegative().optional().describe("Only events after this one."),
    visit: z.string().optional().describe("The log of this visit instead, by its token."),
    brief: z.boolean().optional().describe("Cut long texts, so that a long journal takes little memory."),
  }),
  async run(deps, { run: named, after = 0, brief = false, visit }): Promise<Outcome<Log>> {
    const chosen = await chooseRunOrLast(deps, named);
    if (!chosen.ok) return chosen;
    if (visit !== undefined) return readVisitLog(deps, chosen.value, visit);
    const { runId, status, seq } = chosen.value.run;
    const events: RunEvent[] = [];
    let replayed: Run = { status: "absent" };
    for await (const event of seq > after ? eventsIn(deps, runId) : []) {
      if (after === 0 && event.seq <= seq) replayed = evolve(replayed, event);
      events.push(brief ? withoutLongTexts(event) : event);
    }
    if (after === 0) refuseForged(chosen.value, replayed);
    const { foreign, ahead } = foreignEvents(events, await knownMachineName(deps.user));
    const isNew = (number: number) => number > after;
    const shown = events.filter(({ seq: number }) => isNew(number));
    return yes({ runId, status, events: shown, foreign: foreign.filter(isNew), ahead: ahead.filter(isNew) });
  },
});

async function readVisitLog(
  { files }: Deps,
  { run: { runId, status } }: Standing,
  token: string,
): Promise<Outcome<Log>> {
  const text = await files.read(runId, visitLogFile(token));
  if (text === null) return no({ code: "visit-not-logged", run: runId, token });
  // The last line of a runner that was killed may be cut off.
  const entries = text.split("\n").map(parseJson).filter(isRecord);
  return yes({ runId, status, events: [], foreign: [], ahead: [], visit: entries });
}

async function* eventsIn({ store }: Deps, runId: string): AsyncGenerator<RunEvent> {
  for await (const commit of store.read(runId)) yield* commit.events;
}

const longestText = 500;

/** A copy if anything is cut: a part of a text would keep all of it in memory. */
export function withoutLongTexts(event: RunEvent): RunEvent {
  let cuts = false;
  const text = JSON.stringify(event, (_, value: unknown) => {
    if (typeof value !== "string" || value.length <= longestText) return value;
    cuts = true;
    return value.slice(0, longestText);
  });
  return cuts ? (JSON.parse(text) as RunEvent) : event;
}

/** With the whole journal read, checks that the loaded state, which may come from a snapshot, follows from it. */
function refuseForged({ run }: Standing, replayed: Run): void {
  if (isDeepStrictEqual(replayed, run)) return;
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
    const { runId, seq: last } = chosen.value.run;
    const found = await standingAt(deps.history, runId, input.event);
    return found === null ? no({ code: "event-unknown", event: input.event, last }) : yes(found.event);
  },
});
