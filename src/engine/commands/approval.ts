import type { Actor } from "../../model/command.ts";
import type { Gate } from "../../model/gate.ts";
import type { Visit } from "../../model/run.ts";
import { isApproval, waitsForApproval } from "../../model/run-state.ts";
import { minutesBetween } from "../../model/time.ts";
import { truncateToEnds } from "../../model/truncate.ts";
import { type ApprovalPlace, approvalPlaces } from "../../model/visit-rules.ts";
import { stepSettings } from "../step-settings.ts";
import { accept, type CommandHandler, type CommandOf, createEventDraft, type Refused, refuse } from "./decision.ts";
import { findDecidedVisit, findTargetVisit } from "./find-target-visit.ts";
import { decisionNeeded, isApprovedFor } from "./visit-checks.ts";

/** Only one process checks a visit's gates at a time; a check whose process has died is recorded and restarted. */
export const startGates: CommandHandler<"start-gates"> = ({ run, at }, command) => {
  const target = findTargetVisit(run, command);
  if (!target.ok) return target;
  if (target.visit.pending !== undefined) return refuse(decisionNeeded(target.visit, target.visit.pending));
  const { token, checking } = target.visit;
  if (checking !== null && !command.interrupted) {
    return refuse({ code: "gate-running", token, seconds: Math.floor(minutesBetween(checking.since, at) * 60) });
  }
  const draft = createEventDraft(run, at);
  if (checking !== null) draft.record({ type: "gates-interrupted", token });
  draft.record({ type: "gates-started", token, runner: command.runner });
  return accept(draft);
};

/** Records the gate results even though the advance itself is refused. */
export const reportGates: CommandHandler<"report-gates"> = ({ run, at }, command) => {
  const target = findTargetVisit(run, command);
  if (!target.ok) return target;
  const draft = createEventDraft(run, at);
  const evidence = [...command.evidence];
  if (evidence.length > 0) {
    draft.record({ type: "gates-checked", token: target.visit.token, purpose: "gate", evidence });
  }
  return accept(draft);
};

export const requestApproval: CommandHandler<"request-approval"> = ({ template, run, at }, command) => {
  const target = findTargetVisit(run, command);
  if (!target.ok) return target;
  if (target.visit.pending !== undefined) return refuse(decisionNeeded(target.visit, target.visit.pending));
  const { visit } = target;
  const { token, place, approval } = visit;
  const asks = stepSettings(template, place)?.gates.some(isApproval) ?? false;
  if (!asks) return refuse({ code: "approval-not-asked", token });
  const draft = createEventDraft(run, at);
  if (approval === "none" || (approval === "given" && !isApprovedFor(visit, command.outcome)))
    draft.record({ type: "approval-requested", token, ...submitted(command) });
  return accept(draft);
};

/** Enough for a person to decide on; the whole output is recorded when the visit ends. */
const submittedLimit = 8_000;

function submitted({ output, outcome }: CommandOf<"request-approval">) {
  return {
    ...(output !== undefined && { output: truncateToEnds(output, submittedLimit) }),
    ...(outcome !== undefined && { outcome }),
  };
}

export const approve: CommandHandler<"approve"> = ({ template, run, at }, command) => {
  const target = findDecidedVisit(run, command, waitsForApproval);
  if (!target.ok) return target;
  const { token, place } = target.visit;
  const refusal = notAsked(target.visit, command);
  if (refusal !== null) return refusal;
  const places = placesOf(stepSettings(template, place)?.gates ?? []);
  if (!places.includes(command.via ?? "terminal")) return refuse({ code: "approval-elsewhere", token, places });
  const draft = createEventDraft(run, at);
  draft.record({ type: "approval-given", token, ...actorOf(command), reason: command.reason ?? null });
  return accept(draft);
};

function notAsked(visit: Visit, command: CommandOf<"approve" | "reject">): Refused | null {
  const { token, asked } = visit;
  if (!waitsForApproval(visit)) return refuse({ code: "approval-not-asked", token });
  const isOther = command.asked !== undefined && command.asked !== asked;
  return isOther ? refuse({ code: "approval-not-asked", token, isOther }) : null;
}

/** Where this step may be approved: wherever all of its approvals allow it. */
export function placesOf(gates: readonly Gate[]): readonly ApprovalPlace[] {
  const approvals = gates.filter(isApproval).map(({ approval }) => approval);
  return approvalPlaces.filter((place) => approvals.every((each) => each === "human" || each.human.includes(place)));
}

/** Who acts, as events have it. */
export function actorOf({ by, seat, via }: Actor): Actor {
  return { by, ...(seat !== undefined && { seat }), ...(via !== undefined && { via }) };
}

export const reject: CommandHandler<"reject"> = ({ run, at }, command) => {
  const target = findDecidedVisit(run, command, waitsForApproval);
  if (!target.ok) return target;
  const { token } = target.visit;
  const refusal = notAsked(target.visit, command);
  if (refusal !== null) return refusal;
  const draft = createEventDraft(run, at);
  draft.record({ type: "approval-refused", token, ...actorOf(command), reason: command.reason });
  return accept(draft);
};
