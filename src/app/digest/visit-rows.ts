import type { EventOf, RunEvent } from "../../model/event.ts";
import { withClaim } from "../../model/run-state.ts";
import type { VisitRow } from "../../serve/contract/run-answers.ts";

type Draft = { -readonly [K in keyof VisitRow]: VisitRow[K] };

/** The visits of a run in the order in which they were entered, built event by event. */
export interface VisitRows {
  readonly all: Draft[];
  /** The open ones, by the name of the visit. */
  readonly open: Map<string, Draft>;
}

export function beginRows(): VisitRows {
  return { all: [], open: new Map() };
}

/** The name of a visit: its token without the attempt and the claim, which change while it lasts. */
export function visitName(token: string): string {
  return withClaim(token, null).replace(/(#\d+)~\d+$/, "$1");
}

/** The token of the visit that an event belongs to; null if it belongs to none. */
export function tokenIn(event: RunEvent): string | null {
  return "token" in event ? (event.token ?? null) : null;
}

export function addToRows(rows: VisitRows, event: RunEvent): void {
  if (event.type === "visit-entered") enter(rows, event);
  const token = tokenIn(event);
  const row = token === null ? undefined : rows.open.get(visitName(token));
  if (row !== undefined) {
    row.lastEvent = event.seq;
    apply(row, event);
    if (row.status !== "open") rows.open.delete(visitName(row.token));
  }
  if (event.type === "run-completed" || event.type === "run-failed" || event.type === "run-aborted") {
    for (const left of rows.open.values()) end(left, "closed", event.at);
    rows.open.clear();
  }
}

function enter({ all, open }: VisitRows, { token, place, number, action, seq, at }: EventOf<"visit-entered">): void {
  const row: Draft = {
    token,
    step: place.step,
    subStep: place.type === "sub-step" ? place.subStep : null,
    task: place.type === "sub-step" ? place.task : null,
    number,
    status: "open",
    enteredAt: at,
    endedAt: null,
    firstEvent: seq,
    lastEvent: seq,
    attempts: 1,
    gatesPassed: 0,
    gatesFailed: 0,
    contextActions: action === null ? none : [action],
    tokens: 0,
    cost: 0,
    outcome: null,
    output: null,
  };
  all.push(row);
  open.set(visitName(token), row);
}

/** Shared by most rows. */
const none: readonly string[] = [];

function apply(row: Draft, event: RunEvent): void {
  switch (event.type) {
    case "visit-claimed":
    case "claim-lost":
    case "claim-released":
      row.token = event.as;
      break;
    case "visit-ended":
      end(row, "done", event.at);
      row.outcome = event.outcome;
      row.output = beginningOf(event.output);
      break;
    case "visit-failed":
      applyFailure(row, event);
      break;
    case "failure-decided":
      if (event.verdict !== "retry") end(row, "failed", event.at);
      break;
    case "visit-closed":
      end(row, "closed", event.at);
      break;
    case "attempt-lost":
      row.attempts += 1;
      break;
    case "gates-checked":
      countGates(row, event);
      break;
    case "usage-recorded":
    case "budget-counted":
      row.tokens += event.tokens ?? 0;
      row.cost += event.type === "usage-recorded" ? (event.cost ?? 0) : 0;
  }
}

function applyFailure(row: Draft, { retry, output, at }: EventOf<"visit-failed">): void {
  row.output = beginningOf(output);
  if (retry === null) {
    end(row, "failed", at);
  } else {
    row.token = retry;
    row.attempts += 1;
  }
}

/** An `until` that does not hold yet is no failure. A gate that fails sends the agent to another attempt. */
function countGates(row: Draft, { purpose, evidence }: EventOf<"gates-checked">): void {
  const failed = evidence.filter(({ held }) => !held).length;
  row.gatesPassed += evidence.length - failed;
  if (purpose !== "gate" || failed === 0) return;
  row.gatesFailed += failed;
  row.attempts += 1;
}

function end(row: Draft, status: VisitRow["status"], at: string): void {
  row.status = status;
  row.endedAt = at;
}

const longestBeginning = 160;

/** A copy: a part of a text would keep all of it in memory. */
function beginningOf(output: string): string | null {
  const line = output.slice(0, longestBeginning).replace(/[\ud800-\udbff]$/, "");
  if (line.trim() === "") return null;
  return output.length <= longestBeginning ? output : Buffer.from(line).toString();
}
