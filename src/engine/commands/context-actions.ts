import type { VisitTarget } from "../../model/command.ts";
import type { LiveRun, Visit } from "../../model/run.ts";
import { isActionOpen, isTicking } from "../../model/run-state.ts";
import type { ContextActionName } from "../../model/workflow-type.ts";
import { accept, type CommandHandler, createEventDraft, type EventDraft, type HandlerContext } from "./decision.ts";
import { findTargetVisit, seatOf } from "./find-target-visit.ts";

/** The context action that a visit still has to hand out. Read-only. */
export function dueAction(visit: Visit): ContextActionName | null {
  return visit.action?.status === "due" ? visit.action.name : null;
}

/** Gives the visit to the caller: hands out its context action the first time and records the session. */
export const handOut: CommandHandler<"hand-out"> = (context, command) => {
  const { run, at } = context;
  const target = findTargetVisit(run, handedTo(context, command));
  if (!target.ok) return target;
  const { visit } = target;
  const { session } = command;
  const draft = createEventDraft(run, at);
  const isSeated = session !== undefined && isAt(run, visit, session);
  if (session !== undefined && !isSeated) draft.record({ type: "visit-taken", token: visit.token, session });
  const action = dueAction(visit);
  const by = session === undefined ? {} : { session };
  if (command.watched === true && isSeated && isActionOpen(visit)) {
    draft.record({ type: "context-action-skipped", token: visit.token, action: visit.action.name, ...by });
  }
  if (action === null) take(draft, visit, by);
  else if (isTicking(run, visit)) {
    draft.record({ type: "context-action-handed-out", token: visit.token, action, ...by });
  }
  return accept(draft);
};

/** For what brings the instructions without a call: a handoff, or a program that has them anyway. */
export const takeInstructions: CommandHandler<"take-instructions"> = ({ run, at }, command) => {
  const target = findTargetVisit(run, command);
  if (!target.ok) return target;
  const draft = createEventDraft(run, at);
  take(draft, target.visit, command.session === undefined ? {} : { session: command.session });
  return accept(draft);
};

function take(draft: EventDraft, { token, untaken }: Visit, by: { readonly session?: string }): void {
  if (untaken) draft.record({ type: "instructions-taken", token, ...by });
}

export const observeContextAction: CommandHandler<"observe-context-action"> = ({ run, at }, command) => {
  const target = findTargetVisit(run, command);
  if (!target.ok) return target;
  const { token, action } = target.visit;
  const draft = createEventDraft(run, at);
  if (action?.name === command.action && action.status === "handed-out") {
    const by = command.session === undefined ? {} : { session: command.session };
    draft.record({ type: "context-action-observed", token, action: command.action, ...by });
  }
  return accept(draft);
};

/** A session whose visit was ended by another session moves to the open one; only its advance is refused as stale. */
function handedTo({ run }: HandlerContext, { token, session }: VisitTarget): VisitTarget {
  const hasClaims = run.visits.some(({ claim }) => claim !== undefined);
  if (token !== undefined || hasClaims) return { token, session };
  const seat = seatOf(run, session);
  return { token: run.visits.some((visit) => visit.token === seat) ? seat : undefined };
}

/** Whoever has the token of a claim works on it; nobody else is given it. */
function isAt(run: LiveRun, { token, claim }: Visit, session: string): boolean {
  return claim !== undefined || seatOf(run, session) === token;
}
