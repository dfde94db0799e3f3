import type { CommandType } from "../../model/command.ts";
import type { LiveRun } from "../../model/run.ts";
import { actorOf } from "./approval.ts";
import { accept, type CommandHandler, createEventDraft, refuse } from "./decision.ts";
import { askPerson } from "./failure.ts";
import { findTargetVisit } from "./find-target-visit.ts";

/** How often an agent may be lost at one visit before a person is asked. */
const mostLost = 3;

/** One runner drives a run: a second is refused while the first one's process is there. */
const beginDrive: CommandHandler<"begin-drive"> = ({ run, at }, { runner, agent, holdfast, interrupted }) => {
  const { drive } = run;
  if (drive && drive.runner !== runner && !interrupted) {
    return refuse({ code: "run-driven", run: run.runId, agent: drive.agent, since: drive.since });
  }
  const draft = createEventDraft(run, at);
  draft.record({ type: "drive-began", runner, agent, holdfast });
  return accept(draft);
};

const endDrive: CommandHandler<"end-drive"> = ({ run, at }, { runner, why }) => {
  const draft = createEventDraft(run, at);
  if (isDrivenBy(run, runner)) draft.record({ type: "drive-ended", why });
  return accept(draft);
};

const beginAttempt: CommandHandler<"begin-attempt"> = ({ run, at }, command) => {
  const target = findTargetVisit(run, command);
  if (!target.ok) return target;
  const { agent, version, model, holdfast } = command;
  const told = run.messages?.length ?? 0;
  const draft = createEventDraft(run, at);
  draft.record({
    type: "attempt-began",
    token: target.visit.token,
    agent,
    ...(version !== undefined && { version }),
    ...(model !== undefined && { model }),
    holdfast,
    ...(told > 0 && { told }),
  });
  return accept(draft);
};

/** The agent may try again, but not forever. */
const loseAttempt: CommandHandler<"lose-attempt"> = ({ run, at }, command) => {
  const target = findTargetVisit(run, command);
  if (!target.ok) return target;
  const { token, driven } = target.visit;
  const { reason } = command;
  const draft = createEventDraft(run, at);
  draft.record({ type: "attempt-lost", token, reason });
  const lost = (driven?.lost ?? 0) + 1;
  if (lost >= mostLost) askPerson(draft, token, "failed", `the agent was lost ${lost} times, last: ${reason}`);
  return accept(draft);
};

const giveUp: CommandHandler<"give-up"> = ({ run, at }, command) => {
  const target = findTargetVisit(run, command);
  if (!target.ok) return target;
  const draft = createEventDraft(run, at);
  askPerson(draft, target.visit.token, "failed", command.reason);
  return accept(draft);
};

const park: CommandHandler<"park"> = ({ run, at }, { why, reason, until }) => {
  const draft = createEventDraft(run, at);
  draft.record({ type: "run-parked", why, reason, ...(until !== undefined && { until }) });
  return accept(draft);
};

const tell: CommandHandler<"tell"> = ({ run, at }, { text, ...command }) => {
  const draft = createEventDraft(run, at);
  draft.record({ type: "agent-told", text, ...actorOf(command) });
  return accept(draft);
};

/** The visit may have ended meanwhile. */
const deliverMessages: CommandHandler<"deliver-messages"> = ({ run, at }, { token, count }) => {
  const draft = createEventDraft(run, at);
  draft.record({ type: "messages-delivered", token, count });
  return accept(draft);
};

function isDrivenBy({ drive }: LiveRun, runner: string): boolean {
  return drive?.runner === runner;
}

/** What a runner reports, and what people tell its agent. */
export const driving = {
  "begin-drive": beginDrive,
  "end-drive": endDrive,
  "begin-attempt": beginAttempt,
  "lose-attempt": loseAttempt,
  "give-up": giveUp,
  "deliver-messages": deliverMessages,
  park,
  tell,
} as const satisfies { readonly [T in CommandType]?: CommandHandler<T> };
