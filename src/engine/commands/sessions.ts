import { accept, type CommandHandler, createEventDraft, type HandlerContext } from "./decision.ts";

/** Records a session once; sessions whose program is gone without an end are closed as lost. */
export const startSession: CommandHandler<"start-session"> = (context, command) => {
  const { session, host, source, follows = null, environment, lost = [] } = command;
  const draft = createEventDraft(context.run, context.at);
  for (const id of lost) {
    if (id !== session && isOpen(context, id)) draft.record({ type: "session-ended", session: id, reason: "lost" });
  }
  const sits = follows === null || context.run.seats.some((seat) => seat.session === session);
  if (isOpen(context, session) && hasHost(context, session) && sits) return accept(draft);
  const where = environment === undefined ? {} : { environment };
  draft.record({ type: "session-started", session, host, source, follows, ...where });
  return accept(draft);
};

/** Does nothing for a session that the run does not know or that has already ended. */
export const endSession: CommandHandler<"end-session"> = (context, { session, reason }) => {
  const draft = createEventDraft(context.run, context.at);
  if (isOpen(context, session)) draft.record({ type: "session-ended", session, reason });
  return accept(draft);
};

export const beginCompaction: CommandHandler<"begin-compaction"> = ({ run, at }, { session, trigger }) => {
  const draft = createEventDraft(run, at);
  draft.record({ type: "compaction-began", session, trigger });
  return accept(draft);
};

export const endCompaction: CommandHandler<"end-compaction"> = ({ run, at }, { session, trigger, size }) => {
  const draft = createEventDraft(run, at);
  draft.record({ type: "compaction-ended", session, trigger, size });
  return accept(draft);
};

export const editCard: CommandHandler<"edit-card"> = ({ run, at }, { edits }) => {
  const draft = createEventDraft(run, at);
  if (JSON.stringify(edits) !== JSON.stringify(run.card)) draft.record({ type: "card-edited", edits });
  return accept(draft);
};

export const noteArtifacts: CommandHandler<"note-artifacts"> = ({ run, at }, { session, artifacts }) => {
  const draft = createEventDraft(run, at);
  const by = session === undefined ? {} : { session };
  if (artifacts.length > 0) draft.record({ type: "artifacts-loaded", ...by, artifacts: [...artifacts] });
  return accept(draft);
};

function isOpen({ run }: HandlerContext, session: string): boolean {
  return run.sessions.some(({ id, ended }) => id === session && ended === null);
}

function hasHost({ run }: HandlerContext, session: string): boolean {
  return run.sessions.some(({ id, host }) => id === session && host !== null);
}
