import type { Visit } from "../../model/run.ts";
import { canGoOn, chosenOf, claimsOf, isLive, withClaim } from "../../model/run-state.ts";
import { actorOf } from "./approval.ts";
import { claimVisit, releaseClaim } from "./claim-visit.ts";
import {
  accept,
  type CommandHandler,
  type CommandOf,
  createEventDraft,
  type Decision,
  type EventDraft,
  type HandlerContext,
  refuse,
} from "./decision.ts";
import { askPerson } from "./failure.ts";
import { ambiguous, claimNeeded, claimsWithoutSession, findDecidedVisit, openTasks } from "./find-target-visit.ts";
import { decisionNeeded } from "./visit-checks.ts";

/** After as many lost claims a person decides: whatever stops the agents would stop the next one, too. */
const mostLosses = 3;

/** Gives the caller a task: the one that it names, or the first that is free unless it has one already. */
export const claim: CommandHandler<"claim"> = (context, command) => {
  const { run, at } = context;
  if (run.status === "paused") return refuse({ code: "run-paused", reason: run.reason });
  if (command.task !== undefined) return claimTask(context, command, command.task);
  const own = claimsOf(run, command.session);
  const { session, expired } = command;
  // It may be the one that has claimed these; with another task each time it asks, it would soon hold all of them.
  const perhapsOwn = session === undefined ? claimsWithoutSession(run) : [];
  if (perhapsOwn.some((visit) => !expired.includes(visit.claim?.number ?? 0))) return claimNeeded(run, session);
  if (own.length === 0) return claimAny(context, command);
  return chosenOf(run, own) === null ? ambiguous(own) : accept(createEventDraft(run, at));
};

function claimTask({ run, at }: HandlerContext, command: CommandOf<"claim">, task: string): Decision {
  const visit = run.visits.find(({ place }) => place.type === "sub-step" && place.task === task);
  const draft = createEventDraft(run, at);
  if (visit === undefined) return refuse({ code: "task-not-open", task, open: openTasks(run) });
  // A loop without `parallel` has no claims.
  if (visit.claim === undefined) return accept(draft);
  if (visit.pending !== undefined) return refuse(decisionNeeded(visit, visit.pending));
  const isOwn = command.session !== undefined && visit.claim?.session === command.session;
  if (isOwn) return accept(canGoOn(run, visit) ? moveClaim(draft, visit, command) : draft);
  // What waits for a person is done; nobody has to do it again because its agent is gone.
  const isLeft = visit.claim !== null && command.expired.includes(visit.claim.number) && canGoOn(run, visit);
  if (visit.claim !== null && !isLeft) {
    const { session: by, since } = visit.claim;
    return refuse({ code: "claim-held", task, by, since });
  }
  const free = visit.claim === null ? visit : loseClaim(draft, visit);
  if (free !== null) claimVisit(draft, free, command);
  return accept(draft);
}

/** A session that goes on in another clone claims its task anew: the gates are checked there from now on. */
function moveClaim(draft: EventDraft, visit: Visit, command: CommandOf<"claim">): EventDraft {
  const { clone, session } = visit.claim ?? {};
  if (clone === undefined || command.clone === undefined || clone === command.clone) return draft;
  releaseClaim(draft, visit, session == null ? {} : { session });
  claimVisit(draft, { ...visit, token: withClaim(visit.token, null) }, command);
  return draft;
}

/** The first task that nobody works on; else the first whose agent has not been heard of for too long. */
function claimAny({ run, at }: HandlerContext, command: CommandOf<"claim">): Decision {
  const draft = createEventDraft(run, at);
  const going = run.visits.filter((visit) => visit.claim !== undefined && canGoOn(run, visit));
  const free = going.find((visit) => visit.claim === null);
  if (free !== undefined) {
    claimVisit(draft, free, command);
    return accept(draft);
  }
  for (const visit of going) {
    const isExpired = visit.claim !== null && command.expired.includes(visit.claim?.number ?? 0);
    const taken = isExpired ? loseClaim(draft, visit) : null;
    if (taken === null) continue;
    claimVisit(draft, taken, command);
    return accept(draft);
  }
  // What was found out about lost claims is recorded even if it leaves nothing to do.
  return draft.events.length > 0 ? accept(draft) : claimNeeded(run, command.session);
}

/** The visit without its claim; null if a person is asked now, because this has happened too often. */
function loseClaim(draft: EventDraft, visit: Visit): Visit | null {
  const { token, claim: held } = visit;
  if (held == null) return visit;
  const as = withClaim(token, null);
  draft.record({ type: "claim-lost", token, as, claim: held.number });
  const now = isLive(draft.run) ? draft.run.visits.find((open) => open.token === as) : undefined;
  if (now === undefined) return null;
  if ((now.lost ?? 0) < mostLosses) return now;
  askPerson(draft, as, "interrupted", `the agents that worked on it were lost ${mostLosses} times`);
  return null;
}

/** A person takes a task from whoever works on it, so that somebody else can. */
export const release: CommandHandler<"release"> = ({ run, at }, command) => {
  const target = findDecidedVisit(run, command, ({ claim: held }) => held != null);
  if (!target.ok) return target;
  const draft = createEventDraft(run, at);
  if (target.visit.claim == null) return refuse({ code: "claim-not-held", token: target.visit.token });
  releaseClaim(draft, target.visit, actorOf(command));
  return accept(draft);
};
