import { openCards } from "../../../cards/card-reader.ts";
import type { Notice } from "../../../engine/commands/notices.ts";
import { isLiveStanding, type Standing } from "../../../journal/run-journal.ts";
import { isRunId } from "../../../model/run-id.ts";
import { isLive, visitsFor } from "../../../model/run-state.ts";
import { type Show, type Source, sourceOf } from "../../../project/settings.ts";
import { lostSessions } from "../../../sessions/session-log.ts";
import type { SessionState } from "../../../sessions/session-state.ts";
import { type Chosen, chooseForHook, isLongAgo } from "../ports/choose-for-hook.ts";
import { attempt, type ContinuityPorts, type HookReply, type HookSource, recordNotices } from "../ports/ports.ts";

/** Handles the start of a session, or its return after a loss: restores its run, or mentions that there is one. */
export async function restoreSession(
  ports: ContinuityPorts,
  hook: HookSource,
  said: string | null,
  transcript: string | null = null,
): Promise<HookReply> {
  const before = said === "clear" || said === "new" ? await predecessor(ports, hook, said) : null;
  // Copilot CLI tells of a clear as of an exit and of a new session. But a program that exits starts no other.
  const source = said === "new" && before !== null ? "clear" : sourceOf(said);
  const { session, host, via, parent } = hook;
  const { first, state, ofSubagent } = ports.sessions.tell(session, {
    type: "started",
    at: ports.now(),
    via,
    source,
    host,
    parent,
    transcript: transcript ?? undefined,
  });
  ports.sessions.setParent(parent, session);
  if (!first) return {};
  if (ofSubagent) return (await import("./restore-subagent.ts")).restoreSubagent(ports, hook, null, transcript);
  const follows = before === null || before.ended?.reason === "followed" ? null : before.session;
  if (follows !== null) ports.sessions.tell(follows, { type: "followed", at: ports.now(), via });
  const chosen = await chooseForHook(ports, follows === null ? hook : { ...hook, session: follows });
  const moment = { loss: state.losses, reason: source };
  const reply =
    chosen === null
      ? await (await import("../tracked/restore-tracked.ts")).restoreTracked(ports, hook, moment)
      : await restoreRun(ports, hook, { ...moment, chosen, follows });
  const gone = takeRemoved(ports, follows ?? session);
  if (gone === null) return reply;
  const { removedText } = await import("../../../handoff/short-texts.ts");
  const context = [removedText(gone), reply.context ?? ""].join("\n\n").trim();
  return { ...reply, context };
}

/** The run that the session was in, if it was removed from the shared store; once. */
function takeRemoved({ sessions, isRemoved }: ContinuityPorts, session: string): string | null {
  const run = sessions.runOf(session);
  if (run === null || !isRunId(run) || !isRemoved(run)) return null;
  sessions.setRun(session, null);
  return run;
}

interface Moment {
  readonly loss: number;
  readonly reason: Source;
}

interface Restoring extends Moment {
  readonly chosen: Chosen;
  readonly follows: string | null;
}

async function restoreRun(ports: ContinuityPorts, hook: HookSource, restoring: Restoring): Promise<HookReply> {
  const { chosen, follows, loss, reason } = restoring;
  const show = showFor(ports, chosen, reason);
  if (show === "nothing") return {};
  const noted =
    show === "full"
      ? await attempt(ports, async () => recordNotices(ports, chosen.standing, await notices(ports, hook, restoring)))
      : null;
  const standing = noted ?? chosen.standing;
  if (!isLiveStanding(standing)) return {};
  const session = follows !== null && noted === null ? follows : hook.session;
  // Most sessions start without a run.
  const { gatherFacts } = await import("../handoff/gather-facts.ts");
  const { offerText, restoredNotice } = await import("../../../handoff/short-texts.ts");
  const facts = await gatherFacts(ports, standing, { session, others: chosen.others });
  const obstacle = (await attempt(ports, () => openCards(ports)?.obstacle())) ?? null;
  if (obstacle !== null) ports.troubles.push(obstacle);
  if (show === "line") return { context: offerText(facts, isOld(ports, standing) ? "old" : "fresh") };
  const { runId: run } = standing.run;
  const handed = { type: "handed", at: ports.now(), via: hook.via, loss, fallback: false, run } as const;
  ports.sessions.tell(hook.session, handed);
  // Most sessions start without a handoff.
  const { handoffWithArtifacts } = await import("../handoff/fit-handoff.ts");
  const context = await handoffWithArtifacts(ports, hook, standing, facts, { loss, reason });
  const about = { standing, visit: facts.here?.token ?? null, kind: "handoff" } as const;
  return { context, notice: restoredNotice(facts), about };
}

/** How much to show: the full handoff to the run's own session, one line to a session that may be about something else. */
function showFor(ports: ContinuityPorts, { standing, claim }: Chosen, source: Source): Show {
  const wanted = ports.settings.handoff.show[source];
  if (wanted === "nothing") return "nothing";
  if (isOld(ports, standing)) return "line";
  if (claim === "bound") return wanted;
  if (claim === "taken") return "line";
  const ownWorktree = standing.run.worktree !== null && standing.run.worktree === ports.roots.worktree;
  if (source === "startup" && ownWorktree) return "full";
  return source === "clear" ? "line" : wanted;
}

export function isOld(ports: ContinuityPorts, { run }: Standing): boolean {
  return isLongAgo(ports.now(), run.updatedAt);
}

async function notices(
  ports: ContinuityPorts,
  { session, host, version }: HookSource,
  { chosen, follows, reason: source }: Restoring,
): Promise<Notice[]> {
  const { run } = chosen.standing;
  const lost = lostSessions(ports, run);
  const known = run.sessions.some(
    (each) =>
      each.id === session &&
      each.host !== null &&
      each.ended === null &&
      (version ?? each.hostVersion) === each.hostVersion,
  );
  // After a compaction the run already knows its session.
  if (known && follows === null && lost.length === 0 && source !== "clear") return [];
  const { environmentOf } = await import("../../../sessions/environment.ts");
  const environment = environmentOf(ports);
  const start: Notice = {
    type: "start-session",
    session,
    host,
    hostVersion: version,
    source,
    follows: follows ?? undefined,
    environment,
    lost,
  };
  const cleared = source === "clear" && isLive(run) ? visitsFor(run, follows ?? session) : [];
  const asked = cleared.filter(({ action }) => action?.name === "clear");
  return [
    start,
    ...asked.map(({ token }) => ({ type: "observe-context-action", action: "clear", token, session }) as const),
  ];
}

/** Hosts start a new session id at every clear. */
async function predecessor(
  { sessions, now }: ContinuityPorts,
  hook: HookSource,
  said: "clear" | "new",
): Promise<SessionState | null> {
  const { precedingSession } = await import("../../../sessions/old-sessions.ts");
  // Copilot CLI starts the new session with its first prompt, however late that comes.
  return precedingSession(sessions.folder, hook, said === "new" ? null : now());
}
