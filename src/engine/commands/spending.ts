import type { Fact } from "../../model/event.ts";
import { isLive, isTicking } from "../../model/run-state.ts";
import { accept, type CommandHandler, type CommandOf, createEventDraft, type HandlerContext } from "./decision.ts";
import { findTargetVisit, openVisit } from "./find-target-visit.ts";
import { spentBudget } from "./visit-checks.ts";

/** Records what an agent has used, whether there is a budget or not. If that spends one, a person is asked. */
export const countSpending: CommandHandler<"count"> = (context, command) => {
  const { run, at } = context;
  const target = findTargetVisit(run, command);
  if (!target.ok && command.token !== undefined) return target;
  const token = target.ok ? target.visit.token : "";
  const draft = createEventDraft(run, at);
  const used = usedIn(context, command);
  if (used !== null) draft.record({ ...used, ...(token !== "" && { token }) });
  const visit = openVisit(draft.run, token);
  if (used === null || visit === undefined || visit.review !== null || !isLive(draft.run)) return accept(draft);
  const spent = isTicking(draft.run, visit) ? spentBudget({ ...context, run: draft.run }, visit) : null;
  if (spent !== null) draft.record({ type: "review-opened", token, ...spent });
  return accept(draft);
};

/** Null if nothing was used. If another process has counted a part of the transcript meanwhile, the rest is read later. */
function usedIn(
  { run }: HandlerContext,
  command: CommandOf<"count">,
): Extract<Fact, { type: "usage-recorded" }> | null {
  const { session, turns = 0, tokens, cost, read } = command;
  const counted = run.sessions.find(({ id }) => id === session)?.read?.bytes ?? 0;
  const isNew = read === undefined || read.from >= counted;
  if (turns === 0 && (!isNew || (!tokens && !cost && read === undefined))) return null;
  return {
    type: "usage-recorded",
    ...(session !== undefined && { session }),
    turns,
    ...(isNew && tokens !== undefined && { tokens }),
    ...(isNew && cost !== undefined && { cost }),
    ...(isNew && read !== undefined && { read: read.to }),
  };
}
