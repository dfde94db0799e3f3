import * as z from "zod";
import { phasesOf } from "../../engine/step-settings.ts";
import type { RunEvent } from "../../model/event.ts";
import type { Template } from "../../model/template.ts";
import { defineOperation, type Outcome, yes } from "../../operation/operation.ts";
import type { RunSessions, SessionRow } from "../../serve/contract/query-answers.ts";
import { isAliveHere } from "../../sessions/session-log.ts";
import { createServerPorts } from "../continuity/ports/server-ports.ts";
import { metadataOf } from "../priming/artifact-context.ts";
import { chooseRunOrLast } from "../runs/choose-run.ts";
import { readFrozen } from "../workflows/frozen-template.ts";

export interface SessionsReply extends RunSessions {
  readonly runId: string;
  /** Which critical artifacts were loaded into the model's context, and when. */
  readonly context_metadata: ReturnType<typeof metadataOf>;
}

export const readSessions = defineOperation({
  summary: "The sessions that have worked on a run, and where.",
  input: z.strictObject({ run: z.string().optional().describe("The run; by default the only live one here.") }),
  async run(deps, { run: named }): Promise<Outcome<SessionsReply>> {
    const chosen = await chooseRunOrLast(deps, named);
    if (!chosen.ok) return chosen;
    const { run } = chosen.value;
    const { template } = await readFrozen(deps, run);
    const rows = new Map<string, Writing>();
    for await (const { events } of deps.store.read(run.runId)) note(rows, events, template);
    const ports = await createServerPorts(deps);
    const history = [...rows.values()].map((row): SessionRow => {
      const alive = row.ended_at === null ? isAliveHere(ports, row.session_id) : false;
      return { ...row, phases_completed: [...row.phases_completed], alive };
    });
    const current = history.findLast(({ ended_at }) => ended_at === null)?.session_id ?? null;
    return yes({
      runId: run.runId,
      current_session_id: current,
      session_history: history,
      context_metadata: metadataOf(run),
    });
  },
});

type Writing = { -readonly [K in keyof Omit<SessionRow, "alive" | "phases_completed">]: SessionRow[K] } & {
  phases_completed: Set<string>;
};

/** One row per id: a session that comes back continues its row. */
function note(rows: Map<string, Writing>, events: readonly RunEvent[], template: Template): void {
  for (const event of events) {
    if (!("session" in event) || event.session === undefined) continue;
    const row = rows.get(event.session) ?? fresh(event.session, event.at);
    rows.set(event.session, row);
    noteEvent(row, event);
    if (event.type === "visit-ended") {
      for (const phase of phasesEndedIn(events, template)) row.phases_completed.add(phase);
    }
  }
}

function noteEvent(row: Writing, event: RunEvent): void {
  if (event.type === "session-started") {
    const { host, hostVersion, environment: found } = event;
    const host_version = hostVersion ?? row.host_version;
    const environment = found === undefined ? row.environment : { ...found, git_commit: found.commit };
    Object.assign(row, { host, host_version, environment, ended_at: null, end_reason: null });
  }
  if (event.type === "session-ended") Object.assign(row, { ended_at: event.at, end_reason: event.reason });
  if (event.type === "compaction-began") row.compactions += 1;
  if (event.type === "visit-ended") row.steps_advanced += 1;
}

/** Phases whose last step ended in this commit. */
function phasesEndedIn(events: readonly RunEvent[], template: Template): string[] {
  const ended = events.flatMap((event) => (event.type === "step-ended" && event.status === "done" ? [event.step] : []));
  return phasesOf(template).flatMap(({ name, steps }) => (ended.includes(steps.at(-1) ?? "") ? [name] : []));
}

function fresh(session_id: string, started_at: string): Writing {
  const nothing = { host: null, host_version: null, ended_at: null, end_reason: null, environment: null };
  return { session_id, started_at, ...nothing, phases_completed: new Set(), steps_advanced: 0, compactions: 0 };
}
