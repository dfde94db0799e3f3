import type { CommandType } from "../../model/command.ts";
import type { StartedRun } from "../../model/run.ts";
import { claimsOf, isLive } from "../../model/run-state.ts";
import type { Template } from "../../model/template.ts";
import { releaseClaim } from "./claim-visit.ts";
import { observeContextAction, takeInstructions } from "./context-actions.ts";
import {
  accept,
  type CommandHandler,
  type CommandOf,
  createEventDraft,
  type Decision,
  type HandlerContext,
  refuse,
} from "./decision.ts";
import { registerArtefacts } from "./records.ts";
import { countSpending } from "./spending.ts";

/** Commands that a hook may send. They are recorded; none of them moves the run. */
export type NoticeType = keyof typeof notices;
export type Notice = CommandOf<NoticeType>;

export const notices = {
  "start-session": startSession,
  "end-session": endSession,
  "begin-compaction": beginCompaction,
  "end-compaction": endCompaction,
  "edit-card": editCard,
  "note-artifacts": noteArtifacts,
  "observe-context-action": observeContextAction,
  "take-instructions": takeInstructions,
  "register-artefacts": registerArtefacts,
  count: countSpending,
} as const satisfies { readonly [T in CommandType]?: CommandHandler<T> };

/** `decide` for the commands of hooks alone, so that hooks need not load the handlers that move a run. */
export function notice(template: Template, run: StartedRun, command: Notice, at: string): Decision {
  if (!isLive(run)) return refuse({ code: "run-ended", status: run.status, outputIgnored: false });
  // TypeScript cannot see that the entry for `command.type` takes exactly this command.
  const handler = notices[command.type] as CommandHandler<NoticeType>;
  return handler({ template, run, at, outputs: {} }, command);
}

/** Records a session once; sessions whose program is gone without an end are closed as lost. */
function startSession(context: HandlerContext, command: CommandOf<"start-session">): Decision {
  const { session, host, hostVersion, source, follows = null, environment, lost = [] } = command;
  const draft = createEventDraft(context.run, context.at);
  for (const id of lost) {
    if (id !== session && isOpen(context, id)) draft.record({ type: "session-ended", session: id, reason: "lost" });
  }
  const sits = follows === null || isFollowed(context, follows, session);
  if (isOpen(context, session) && hasHost(context, session, hostVersion) && sits) return accept(draft);
  const where = environment === undefined ? {} : { environment };
  const which = hostVersion === undefined ? {} : { hostVersion };
  draft.record({ type: "session-started", session, host, ...which, source, follows, ...where });
  return accept(draft);
}

/** Does nothing for a session that the run does not know or that has already ended. */
function endSession(context: HandlerContext, { session, reason, isFinal }: CommandOf<"end-session">): Decision {
  const { run, at } = context;
  const draft = createEventDraft(run, at);
  if (isOpen(context, session)) draft.record({ type: "session-ended", session, reason });
  // What waits for an approval, or has it, is kept for as long as the lease lasts: the work is done.
  const released = isFinal === true ? claimsOf(run, session).filter(({ approval }) => approval === "none") : [];
  for (const visit of released) releaseClaim(draft, visit, { session });
  return accept(draft);
}

function beginCompaction({ run, at }: HandlerContext, { session, trigger }: CommandOf<"begin-compaction">): Decision {
  const draft = createEventDraft(run, at);
  draft.record({ type: "compaction-began", session, trigger });
  return accept(draft);
}

function endCompaction({ run, at }: HandlerContext, { session, trigger, size }: CommandOf<"end-compaction">): Decision {
  const draft = createEventDraft(run, at);
  draft.record({ type: "compaction-ended", session, trigger, size });
  return accept(draft);
}

function editCard({ run, at }: HandlerContext, { edits }: CommandOf<"edit-card">): Decision {
  const draft = createEventDraft(run, at);
  if (JSON.stringify(edits) !== JSON.stringify(run.card)) draft.record({ type: "card-edited", edits });
  return accept(draft);
}

function noteArtifacts({ run, at }: HandlerContext, { session, artifacts }: CommandOf<"note-artifacts">): Decision {
  const draft = createEventDraft(run, at);
  const by = session === undefined ? {} : { session };
  if (artifacts.length > 0) draft.record({ type: "artifacts-loaded", ...by, artifacts: [...artifacts] });
  return accept(draft);
}

/** Whether the session has taken over all that the other one had. */
function isFollowed({ run }: HandlerContext, follows: string, session: string): boolean {
  return run.seats.some((seat) => seat.session === session) && claimsOf(run, follows).length === 0;
}

function isOpen({ run }: HandlerContext, session: string): boolean {
  return run.sessions.some(({ id, ended }) => id === session && ended === null);
}

/** Whether the run knows the session's host, also in this version. */
function hasHost({ run }: HandlerContext, session: string, version: string | undefined): boolean {
  const known = run.sessions.find(({ id, host }) => id === session && host !== null);
  return known !== undefined && (version ?? known.hostVersion) === known.hostVersion;
}
