import { isLiveStanding } from "../../../journal/run-journal.ts";
import { readTail } from "../../../platform/files.ts";
import { chooseForHook } from "../ports/choose-for-hook.ts";
import { attempt, type ContinuityPorts, type HookReply, type HookSource } from "../ports/ports.ts";

/** At a prompt or after a tool call, sends the handoff for the last context loss again if it seems not to have arrived. */
export async function resendHandoff(
  ports: ContinuityPorts,
  hook: HookSource,
  transcript: string | null,
): Promise<HookReply> {
  const { session, via } = hook;
  const { pending } = ports.sessions.read(session);
  if (pending === null || pending.again) return {};
  const { loss, handedAt } = pending;
  const { handoffId, handoffWithArtifacts } = await import("../handoff/fit-handoff.ts");
  if (handedAt !== null) {
    const arrived = arrival(transcript, handoffId(session, loss), handedAt);
    if (arrived === "yes") ports.sessions.tell(session, { type: "settled", at: ports.now(), via, loss });
    if (arrived !== "no") return {};
  }
  const chosen = await chooseForHook(ports, hook);
  const run = chosen === null || chosen.claim === "taken" ? undefined : chosen.standing.run.runId;
  const { first } = ports.sessions.tell(session, { type: "handed", at: ports.now(), via, loss, fallback: true, run });
  if (!first) return {};
  const moment = { loss, reason: "compact" } as const;
  if (chosen === null) return resendTracked(ports, hook, moment);
  const { standing, claim, others } = chosen;
  if (claim === "taken" || !isLiveStanding(standing)) return {};
  const { gatherFacts } = await import("../handoff/gather-facts.ts");
  const facts = await gatherFacts(ports, standing, { session, others });
  const about = { standing, visit: facts.here?.token ?? null, kind: "handoff" } as const;
  return { context: await handoffWithArtifacts(ports, hook, standing, facts, moment), about };
}

async function resendTracked(
  ports: ContinuityPorts,
  hook: HookSource,
  moment: { loss: number; reason: string },
): Promise<HookReply> {
  const { findRestorable, trackedFacts } = await import("../tracked/tracked.ts");
  const tracked = await attempt(ports, () => findRestorable(ports));
  if (tracked === null) return {};
  const { fitHandoff } = await import("../handoff/fit-handoff.ts");
  return { context: await fitHandoff(ports, hook, trackedFacts(ports, tracked), moment) };
}

/**
 * Whether the transcript shows that a handoff reached the conversation. Hosts write it late: it is conclusive only once
 * it has an entry newer than the handoff. A hook's own output in it does not prove that the model saw the text.
 */
function arrival(transcript: string | null, id: string, sentAt: string): "yes" | "no" | "unknown" {
  const text = transcript === null ? null : tailOf(transcript);
  if (text === null) return "unknown";
  const lines = text.split("\n");
  const shown = new RegExp(`${id}(?!\\d)`);
  if (lines.some((line) => shown.test(line) && !line.includes('"hook_success"'))) return "yes";
  const times = lines.flatMap((line) => /"timestamp":"([^"]{10,40})"/.exec(line)?.[1] ?? []);
  return times.some((time) => Date.parse(time) > Date.parse(sentAt) + slackMs) ? "no" : "unknown";
}

/** Entries that the host wrote at the moment of the handoff prove nothing. */
const slackMs = 1_000;
/** Everything after a context loss is at the end of the transcript. */
const tailLength = 1024 * 1024;

function tailOf(path: string): string | null {
  try {
    return readTail(path, tailLength);
  } catch (error) {
    // A transcript that cannot be read proves nothing.
    if (error instanceof Error && "code" in error) return null;
    throw error;
  }
}
