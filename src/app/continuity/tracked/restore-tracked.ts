import { offerText } from "../../../handoff/short-texts.ts";
import type { Source } from "../../../project/settings.ts";
import { fitHandoff } from "../handoff/fit-handoff.ts";
import { isLongAgo } from "../ports/choose-for-hook.ts";
import { attempt, type ContinuityPorts, type HookReply, type HookSource } from "../ports/ports.ts";
import { findRestorable, findTracked, trackedFacts } from "./tracked.ts";

/** Restores a session to a tracked workflow, which has a card but no run. */
export async function restoreTracked(
  ports: ContinuityPorts,
  hook: HookSource,
  { loss, reason }: { readonly loss: number; readonly reason: Source },
): Promise<HookReply> {
  // A new conversation may be about something else, and reads the project's notes by itself.
  const isNew = reason === "startup";
  const tracked = await attempt(ports, () => (isNew ? findTracked(ports) : findRestorable(ports)));
  if (tracked === null || ports.settings.handoff.show[reason] === "nothing") return {};
  const facts = trackedFacts(ports, tracked);
  const age = isLongAgo(ports.now(), facts.updatedAt) ? "old" : "fresh";
  const isLine = isNew || age === "old" || ports.settings.handoff.show[reason] === "line";
  if (isLine) return { context: offerText(facts, age) };
  ports.sessions.tell(hook.session, { type: "handed", at: ports.now(), via: hook.via, loss, fallback: false });
  return { context: await fitHandoff(ports, hook, facts, { loss, reason }) };
}
