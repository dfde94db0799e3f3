import type { Notice } from "../../../engine/commands/notice.ts";
import { offerText } from "../../../handoff/short-texts.ts";
import type { Standing } from "../../../journal/run-journal.ts";
import { isLive } from "../../../model/live.ts";
import { type Show, type Source, sourceOf } from "../../../project/settings.ts";
import { lostSessions } from "../../../sessions/lost-sessions.ts";
import { gatherFacts } from "../handoff/gather-facts.ts";
import { wholeHandoff } from "../handoff/whole-handoff.ts";
import { type Chosen, chooseForHook } from "../ports/choose-for-hook.ts";
import { isLongAgo } from "../ports/long-ago.ts";
import { noteLater } from "../ports/note-later.ts";
import { type Answer, attempt, isLiveStanding, type Scene, type Teller } from "../ports/scene.ts";

/** A session starts, or goes on with an empty memory: it is put back on its run, or told that there is one. */
export async function restoreSession(scene: Scene, teller: Teller, said: string | null): Promise<Answer> {
  const source = sourceOf(said);
  const { session, host, via, parent } = teller;
  const { first, state } = scene.sessions.tell(session, {
    type: "started",
    at: scene.now(),
    via,
    source,
    host,
    parent,
  });
  scene.sessions.setParent(parent, session);
  if (!first) return {};
  const follows = source === "clear" ? await followed(scene, teller) : null;
  const chosen = await chooseForHook(scene, follows === null ? teller : { ...teller, session: follows });
  const moment = { loss: state.losses, reason: source };
  return chosen === null
    ? (await import("../tracked/restore-tracked.ts")).restoreTracked(scene, teller, moment)
    : restoreRun(scene, teller, { ...moment, chosen, follows });
}

interface Moment {
  readonly loss: number;
  readonly reason: Source;
}

interface Restoring extends Moment {
  readonly chosen: Chosen;
  readonly follows: string | null;
}

async function restoreRun(scene: Scene, teller: Teller, restoring: Restoring): Promise<Answer> {
  const { chosen, follows, loss, reason } = restoring;
  const show = showFor(scene, chosen, reason);
  if (show === "nothing") return {};
  const noted =
    show === "full"
      ? await attempt(scene, async () => noteLater(scene, chosen.standing, await notices(scene, teller, restoring)))
      : null;
  const standing = noted ?? chosen.standing;
  if (!isLiveStanding(standing)) return {};
  const session = follows !== null && noted === null ? follows : teller.session;
  const facts = await gatherFacts(scene, standing, { session, others: chosen.others });
  if (show === "line") return { context: offerText(facts, isOld(scene, standing) ? "old" : "fresh") };
  const handed = { type: "handed", at: scene.now(), via: teller.via, loss, fallback: false } as const;
  scene.sessions.tell(teller.session, handed);
  return { context: await wholeHandoff(scene, teller, standing, facts, { loss, reason }) };
}

/** How much is shown: everything to the run's own session, a line to one that may be about something else. */
function showFor(scene: Scene, { standing, claim }: Chosen, source: Source): Show {
  const wanted = scene.settings.handoff.show[source];
  if (wanted === "nothing") return "nothing";
  if (isOld(scene, standing)) return "line";
  if (claim === "bound") return wanted;
  if (claim === "taken") return "line";
  const ownWorktree = standing.run.worktree !== null && standing.run.worktree === scene.roots.worktree;
  if (source === "startup" && ownWorktree) return "full";
  return source === "clear" ? "line" : wanted;
}

export function isOld(scene: Scene, { run }: Standing): boolean {
  return isLongAgo(scene.now(), run.updatedAt);
}

async function notices(
  scene: Scene,
  { session, host }: Teller,
  { chosen, follows, reason: source }: Restoring,
): Promise<Notice[]> {
  const { run } = chosen.standing;
  const lost = lostSessions(scene, run);
  const known = run.sessions.some((each) => each.id === session && each.host !== null && each.ended === null);
  // After a compaction the run knows its session, and there is nothing to note.
  if (known && follows === null && lost.length === 0 && source !== "clear") return [];
  const { environmentOf } = await import("../../../sessions/environment.ts");
  const environment = environmentOf(scene);
  const start: Notice = {
    type: "start-session",
    session,
    host,
    source,
    follows: follows ?? undefined,
    environment,
    lost,
  };
  const visit = isLive(run) ? run.visits.find(({ action }) => action?.name === "clear") : undefined;
  if (source !== "clear" || visit === undefined) return [start];
  return [start, { type: "observe-context-action", action: "clear", token: visit.token, session }];
}

/** The session that a clear has just ended, whose place this one takes: the host gives every clear a new id. */
async function followed(scene: Scene, teller: Teller): Promise<string | null> {
  const { clearedSessions } = await import("../../../sessions/old-sessions.ts");
  const cleared = clearedSessions(scene.sessions.folder).filter(({ session }) => session !== teller.session);
  const recent = cleared.filter(({ ended }) => Date.parse(scene.now()) - Date.parse(ended?.at ?? "") < justNowMs);
  const before = recent.find(({ parent }) => parent === teller.parent) ?? null;
  if (before !== null) scene.sessions.tell(before.session, { type: "followed", at: scene.now(), via: teller.via });
  return before?.session ?? null;
}

const justNowMs = 60_000;
