import type { Rule, Scene } from "./command-handler.ts";
import { accept } from "./decision.ts";
import { createDraft } from "./draft.ts";

/** The same session never makes a second record; those that died without a word are closed as lost. */
export const startSession: Rule<"start-session"> = (scene, command) => {
  const { session, host, source, follows = null, environment, lost = [] } = command;
  const draft = createDraft(scene.run, scene.at);
  for (const id of lost) {
    if (id !== session && isOpen(scene, id)) draft.record({ type: "session-ended", session: id, reason: "lost" });
  }
  const sits = follows === null || scene.run.seats.some((seat) => seat.session === session);
  if (isOpen(scene, session) && hasHost(scene, session) && sits) return accept(draft);
  const where = environment === undefined ? {} : { environment };
  draft.record({ type: "session-started", session, host, source, follows, ...where });
  return accept(draft);
};

/** What ends a session that the run does not know, or knows to be over, changes nothing. */
export const endSession: Rule<"end-session"> = (scene, { session, reason }) => {
  const draft = createDraft(scene.run, scene.at);
  if (isOpen(scene, session)) draft.record({ type: "session-ended", session, reason });
  return accept(draft);
};

export const beginCompaction: Rule<"begin-compaction"> = ({ run, at }, { session, trigger }) => {
  const draft = createDraft(run, at);
  draft.record({ type: "compaction-began", session, trigger });
  return accept(draft);
};

export const endCompaction: Rule<"end-compaction"> = ({ run, at }, { session, trigger, size }) => {
  const draft = createDraft(run, at);
  draft.record({ type: "compaction-ended", session, trigger, size });
  return accept(draft);
};

export const editCard: Rule<"edit-card"> = ({ run, at }, { edits }) => {
  const draft = createDraft(run, at);
  if (JSON.stringify(edits) !== JSON.stringify(run.card)) draft.record({ type: "card-edited", edits });
  return accept(draft);
};

export const noteArtifacts: Rule<"note-artifacts"> = ({ run, at }, { session, artifacts }) => {
  const draft = createDraft(run, at);
  const by = session === undefined ? {} : { session };
  if (artifacts.length > 0) draft.record({ type: "artifacts-loaded", ...by, artifacts: [...artifacts] });
  return accept(draft);
};

function isOpen({ run }: Scene, session: string): boolean {
  return run.sessions.some(({ id, ended }) => id === session && ended === null);
}

function hasHost({ run }: Scene, session: string): boolean {
  return run.sessions.some(({ id, host }) => id === session && host !== null);
}
