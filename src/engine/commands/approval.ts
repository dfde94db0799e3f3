import { waitsForApproval } from "../../model/approval.ts";
import { isApproval } from "../../model/is-approval.ts";
import { minutesBetween } from "../../model/time.ts";
import { rulesOf } from "../step-settings.ts";
import type { Rule } from "./command-handler.ts";
import { accept, refuse } from "./decision.ts";
import { createDraft } from "./draft.ts";
import { aimAt } from "./find-target-visit.ts";

/** One process at a time checks a visit's gates; what a dead one left is noted and begun anew. */
export const startGates: Rule<"start-gates"> = ({ run, at }, command) => {
  const aimed = aimAt(run, command);
  if (!aimed.ok) return aimed;
  const { token, checking } = aimed.visit;
  if (checking !== null && !command.interrupted) {
    return refuse({ code: "gate-running", token, seconds: Math.floor(minutesBetween(checking.since, at) * 60) });
  }
  const draft = createDraft(run, at);
  if (checking !== null) draft.record({ type: "gates-interrupted", token });
  draft.record({ type: "gates-started", token, runner: command.runner });
  return accept(draft);
};

/** Keeps what the gates showed when the advance itself is refused. */
export const reportGates: Rule<"report-gates"> = ({ run, at }, command) => {
  const aimed = aimAt(run, command);
  if (!aimed.ok) return aimed;
  const draft = createDraft(run, at);
  const evidence = [...command.evidence];
  if (evidence.length > 0) {
    draft.record({ type: "gates-checked", token: aimed.visit.token, purpose: "gate", evidence });
  }
  return accept(draft);
};

export const requestApproval: Rule<"request-approval"> = ({ template, run, at }, command) => {
  const aimed = aimAt(run, command);
  if (!aimed.ok) return aimed;
  const { token, place, approval } = aimed.visit;
  const asks = rulesOf(template, place)?.gates.some(isApproval) ?? false;
  if (!asks) return refuse({ code: "approval-not-asked", token });
  const draft = createDraft(run, at);
  if (approval === "none") draft.record({ type: "approval-requested", token });
  return accept(draft);
};

export const approve: Rule<"approve"> = ({ run, at }, command) => {
  const aimed = aimAt(run, command);
  if (!aimed.ok) return aimed;
  const { token } = aimed.visit;
  if (!waitsForApproval(aimed.visit)) return refuse({ code: "approval-not-asked", token });
  const draft = createDraft(run, at);
  draft.record({ type: "approval-given", token, by: command.by, reason: command.reason ?? null });
  return accept(draft);
};

export const reject: Rule<"reject"> = ({ run, at }, command) => {
  const aimed = aimAt(run, command);
  if (!aimed.ok) return aimed;
  const { token } = aimed.visit;
  if (!waitsForApproval(aimed.visit)) return refuse({ code: "approval-not-asked", token });
  const draft = createDraft(run, at);
  draft.record({ type: "approval-refused", token, by: command.by, reason: command.reason });
  return accept(draft);
};
