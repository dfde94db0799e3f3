import type { EventOf } from "../../model/event.ts";
import type { Place } from "../../model/place.ts";
import type { LiveRun, Spending, StartedRun, Usage, Visit } from "../../model/run.ts";
import { isTicking } from "../../model/run-state.ts";
import { minutesBetween } from "../../model/time.ts";
import type { Changes } from "./changes.ts";
import { openSession } from "./evolve-sessions.ts";
import { changeVisit, forgetJumps } from "./evolve-visits.ts";

/** The counters of a budget that nothing has been spent of. */
function newSpending(since: string, continues = 0): Spending {
  return { turns: 0, tokens: 0, minutes: 0, since, continues };
}

const noUsage: Usage = { turns: 0, tokens: null, cost: null };

// The counters of a run begin with the first record of its usage: events of older versions must lead to the states that
// older versions stored.

/** Counts towards budgets only while the run is running: nothing is spent while it waits for a person. */
export function recordUsage(run: LiveRun, event: EventOf<"usage-recorded">): Changes {
  const { token, turns, tokens, cost, at } = event;
  const { usage = noUsage, spending = newSpending(at) } = run;
  const isCounted = run.status === "running";
  const visits = run.visits.map((visit) =>
    visit.token === token && isTicking(run, visit) ? { ...visit, spending: spend(visit.spending, event) } : visit,
  );
  return {
    usage: {
      turns: usage.turns + turns,
      tokens: tokens === undefined ? usage.tokens : (usage.tokens ?? 0) + tokens,
      cost: cost === undefined ? usage.cost : sumOf(usage.cost ?? 0, cost),
    },
    spending: isCounted ? spend(spending, event) : spending,
    visits,
    ...markRead(run, event),
  };
}

function spend(spending: Spending, { turns, tokens = 0, cost }: EventOf<"usage-recorded">): Spending {
  return {
    ...spending,
    turns: spending.turns + turns,
    tokens: spending.tokens + tokens,
    ...(cost !== undefined && { cost: sumOf(spending.cost ?? 0, cost) }),
  };
}

function markRead(run: LiveRun, { session, read, at }: EventOf<"usage-recorded">): Changes {
  if (session === undefined || read === undefined) return {};
  const { sessions = run.sessions } = openSession(run, { id: session, host: null, startedAt: at });
  return { sessions: sessions.map((each) => (each.id === session ? { ...each, read } : each)) };
}

/** Sums of money are kept to the millionth, so that a hundred times a cent is a dollar. */
function sumOf(a: number, b: number): number {
  return Math.round((a + b) * 1e6) / 1e6;
}

/** Older versions counted only for steps with a budget. */
export function countForVisit(run: LiveRun, { token, turns, tokens }: EventOf<"budget-counted">): Changes {
  const visit = run.visits.find((open) => open.token === token);
  if (visit === undefined) return {};
  const { spending } = visit;
  const counted = { ...spending, turns: spending.turns + turns, tokens: spending.tokens + tokens };
  return changeVisit(run, token, { spending: counted });
}

/** Pauses and resumes the time budgets of the run and of each open visit. */
export function turnClocks(before: LiveRun, after: LiveRun, at: string): LiveRun {
  const turn = (spending: Spending, ticks: boolean): Spending =>
    ticks ? { ...spending, since: at } : bankMinutes(spending, at);
  const isPaused = (run: LiveRun) => run.status === "paused";
  const isSteady = before.questions === after.questions && isPaused(before) === isPaused(after);
  const turned = after.visits.map((visit, index) => {
    // Most events change one visit of many: the others are where they were, or one further back if another was closed.
    const isOld = before.visits[index] === visit || before.visits[index + 1] === visit;
    if (isSteady && isOld) return visit;
    const ticks = isTicking(after, visit);
    const was = earlierVisit(before, visit, index);
    const ticked = was === undefined ? before.status === "running" : isTicking(before, was);
    return ticks === ticked ? visit : { ...visit, spending: turn(visit.spending, ticks) };
  });
  const isSame = turned.every((visit, index) => visit === after.visits[index]);
  const visits = isSame ? after.visits : turned;
  const runs = after.status === "running";
  if (after.spending === undefined || runs === (before.status === "running"))
    return isSame ? after : { ...after, visits };
  return { ...after, spending: turn(after.spending, runs), visits };
}

/** A visit keeps its place for as long as it is open, whatever its token or the index of its task becomes. */
function earlierVisit({ visits }: LiveRun, { place }: Visit, index: number): Visit | undefined {
  const here = visits[index];
  return here?.place === place ? here : visits.find((visit) => isSamePlace(visit.place, place));
}

function isSamePlace(a: Place, b: Place): boolean {
  if (a.type !== "sub-step" || b.type !== "sub-step") return a === b;
  return a.task === b.task && a.subStep === b.subStep && a.step === b.step;
}

/** The clock of a run stops when it ends, and goes on when it is reopened. */
export function stopClock({ status, spending }: StartedRun, at: string): Pick<StartedRun, "spending"> {
  if (spending === undefined) return {};
  return { spending: status === "running" ? bankMinutes(spending, at) : spending };
}

function bankMinutes(spending: Spending, at: string): Spending {
  return { ...spending, minutes: spending.minutes + minutesBetween(spending.since, at), since: at };
}

export function openReview(run: LiveRun, { token, spent, of }: EventOf<"review-opened">): Changes {
  return changeVisit(run, token, { review: spent, ...(of && { reviewOf: of }) });
}

export function decideReview(run: LiveRun, event: EventOf<"review-decided">): Changes {
  return { ...forgetJumps(run), ...reviewed(run, event) };
}

function reviewed(run: LiveRun, { token, verdict, feedback, at }: EventOf<"review-decided">): Changes {
  const visit = run.visits.find((open) => open.token === token);
  if (visit === undefined) return {};
  const isOfRun = visit.reviewOf === "run";
  switch (verdict) {
    case "continue": {
      const note = feedback === null ? visit.note : { from: "review" as const, text: feedback };
      const { continues = 0 } = (isOfRun ? run.spending : visit.spending) ?? {};
      const spending = newSpending(at, continues + 1);
      if (!isOfRun) return changeVisit(run, token, { review: null, spending, note });
      const visits = run.visits.map((open) => {
        return open.reviewOf === "run" ? withoutReview(open.token === token ? { ...open, note } : open) : open;
      });
      return { spending, visits };
    }
    case "escalate":
      return { status: "paused", reason: feedback };
    case "pivot":
      // The next visit begins anew, and so must the budget that it would find spent.
      return isOfRun ? { spending: newSpending(at) } : {};
    case "abandon":
      return {};
  }
}

function withoutReview({ reviewOf: _reviewOf, ...visit }: Visit): Visit {
  return { ...visit, review: null };
}
