import type { HandoffFacts } from "../../../handoff/facts.ts";
import type { Source } from "../../../project/settings.ts";
import { attempt, type ContinuityPorts, type HookSource, type LiveStanding } from "../ports/ports.ts";
import { recordNotices } from "../ports/record-notices.ts";
import { appendInsideFrame, fitHandoff, remainingRoom } from "./fit-handoff.ts";

/** The handoff of a run, followed by its critical artifacts as far as there is room. */
export async function handoffWithArtifacts(
  ports: ContinuityPorts,
  hook: HookSource,
  standing: LiveStanding,
  facts: HandoffFacts,
  { loss, reason: source }: { readonly loss: number; readonly reason: Source },
): Promise<string> {
  const { critical_artifacts: own } = await ports.templateOf(standing.run);
  if (own === undefined && ports.settings.artifacts.length === 0) {
    return fitHandoff(ports, hook, facts, { loss, reason: source });
  }
  const handoff = await fitHandoff(ports, hook, facts, { loss, reason: source, spare });
  const { artifactsFor } = await import("./handoff-artifacts.ts");
  const { session } = hook;
  const room = Math.max(0, remainingRoom(ports, hook, handoff) - heading.length);
  const { text, records } = await artifactsFor(ports, standing, { source, session, room });
  await attempt(ports, () => recordNotices(ports, standing, [{ type: "note-artifacts", session, artifacts: records }]));
  return text === "" ? handoff : appendInsideFrame(handoff, `${heading}${text}`);
}

const heading = "CRITICAL ARTIFACTS\n\n";

/** The share of the limit that is reserved for artifacts, so that even a long handoff can at least name them. */
const spare = 0.2;
