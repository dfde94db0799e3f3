import type { EventOf } from "../../model/event.ts";
import { ownEntry } from "../../model/json.ts";
import type { Place } from "../../model/place.ts";
import type { EndedRun, LiveRun, LoopFacts, StartedRun, Visit } from "../../model/run.ts";
import { reopenTask } from "../loop-state.ts";
import type { Changes } from "./changes.ts";
import { closeVisit, forgetJumps, markStep } from "./evolve-visits.ts";

/** A retry opens the visit again, for an agent that has yet to be given its instructions; everything else closes it. */
export function decideFailure(run: LiveRun, { token, place, verdict, reason }: EventOf<"failure-decided">): Changes {
  const counted = forgetJumps(run);
  switch (verdict) {
    case "retry": {
      const again = ({ pending: _pending, lost: _lost, driven: _driven, ...visit }: Visit): Visit => ({
        ...visit,
        decidedAt: visit.attempt,
        ...(visit.place.type !== "command" && { untaken: true }),
        ...(reason !== null && { said: { from: "decision", text: reason } }),
      });
      return { ...counted, visits: run.visits.map((visit) => (visit.token === token ? again(visit) : visit)) };
    }
    case "skip":
      return { ...counted, ...closeVisit(run, token) };
    case "go_to":
    case "abandon":
      return { ...counted, ...closeVisit(run, token), ...markLeft(run, place) };
  }
}

/** A task whose sub-step sent the run elsewhere is done again when the run comes back to the loop. */
export function routeFailure(run: LiveRun, { place }: EventOf<"failure-routed">): Changes {
  const key = jumpKey(place);
  const jumps = { ...run.jumps, [key]: (ownEntry(run.jumps ?? {}, key) ?? 0) + 1 };
  return { jumps, ...markLeft(run, place) };
}

/** The step or sub-step whose jumps are counted, over all its tasks and visits. */
export function jumpKey(place: Place): string {
  return place.type === "sub-step" ? `${place.step}/${place.subStep}` : place.step;
}

function markLeft(run: LiveRun, place: Place): Changes {
  return markStep(run, place.step, place.type === "sub-step" ? "left" : "failed");
}

/** The run goes on with everything that it had. A complete run stays complete. */
export function reopenRun(run: EndedRun, { seq, at, step }: EventOf<"run-reopened">): StartedRun {
  if (run.status === "complete") return run;
  const { status: _status, reason: _reason, endedAt: _endedAt, jumps: _jumps, ...facts } = run;
  const loop = ownEntry(run.loops, step);
  const isFailed = ownEntry(run.steps, step)?.status === "failed";
  const loops = loop === undefined || !isFailed ? run.loops : { ...run.loops, [step]: beforeFailure(loop) };
  // The visits that asked are gone, so nobody could use an answer.
  const questions = run.questions.filter(({ answer }) => answer !== null);
  const spending = run.spending && { spending: { ...run.spending, since: at } };
  return { ...facts, loops, questions, ...spending, status: "running", seq, updatedAt: at, visits: [] };
}

/** The task that failed last and ended the run is pending again. */
function beforeFailure(loop: LoopFacts): LoopFacts {
  const last = loop.failed.at(-1);
  return last === undefined ? loop : { ...reopenTask(loop, last), status: "set" };
}
