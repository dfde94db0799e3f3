import { buildHandoff } from "../../../handoff/build.ts";
import type { HandoffFacts } from "../../../handoff/facts.ts";
import type { LiveStanding } from "../../../journal/run-journal.ts";
import { sha256Hex } from "../../../platform/files.ts";
import type { Source } from "../../../project/settings.ts";
import { attempt, type ContinuityPorts, type HookSource } from "../ports/ports.ts";
import { recordNotices } from "../ports/record-notices.ts";

/** Claude Code accepts 10,000 characters; Codex 2,500 tokens, and one character may take several tokens. */
const limits: Readonly<Record<string, { readonly limit: number; readonly unit: "characters" | "tokens" }>> = {
  claude: { limit: 9_000, unit: "characters" },
  codex: { limit: 2_400, unit: "tokens" },
};
const defaultLimit = { limit: 9_000, unit: "characters" } as const;

/** Identifies the context loss that a handoff repairs. The text contains it, so a transcript shows whether it arrived. */
export function handoffId(session: string, loss: number): string {
  return `${sha256Hex(session).slice(0, 8)}-${loss}`;
}

/** The handoff within this host's limit and the project's own, which is in characters. If it has to be shortened, the full text is written to a file that it points to. */
export async function fitHandoff(
  ports: ContinuityPorts,
  { session, host }: HookSource,
  facts: HandoffFacts,
  { loss, reason, spare = 0 }: { readonly loss: number; readonly reason: string; readonly spare?: number },
): Promise<string> {
  const { limit: most, unit } = limits[host] ?? defaultLimit;
  const limit = Math.floor(most * (1 - spare));
  const id = handoffId(session, loss);
  const whole = buildHandoff(facts, { id, reason, limit: wholeLimit, unit: "characters", file: null });
  const fitted = buildHandoff(facts, { id, reason, limit, unit, file: fileOf(facts) });
  const own = Math.floor((ports.settings.handoff.limit ?? fitted.length) * (1 - spare));
  const short =
    fitted.length <= own
      ? fitted
      : buildHandoff(facts, { id, reason, limit: own, unit: "characters", file: fileOf(facts) });
  const { runId } = facts;
  if (short.length < whole.length && runId !== null) {
    await attempt(ports, () => ports.files.write(runId, fileName, whole, "quick"));
  }
  return short;
}

/** How many characters may still be added to a handoff. */
function remainingRoom(ports: ContinuityPorts, { host }: HookSource, handoff: string): number {
  const { limit, unit } = limits[host] ?? defaultLimit;
  const characters = unit === "tokens" ? limit * safeCharactersPerToken : limit;
  return Math.max(0, Math.min(characters, ports.settings.handoff.limit ?? characters) - handoff.length - 2);
}

/** Appends a text to a handoff, before the closing tag. */
function appendInsideFrame(handoff: string, text: string): string {
  const end = handoff.lastIndexOf("\n</holdfast>");
  return text === "" || end === -1 ? handoff : `${handoff.slice(0, end)}\n\n${text}${handoff.slice(end)}`;
}

/** A low estimate: many characters take a token of their own. */
const safeCharactersPerToken = 2;

const wholeLimit = 400_000;
const fileName = "handoff.md";

function fileOf({ runId }: HandoffFacts): string | null {
  return runId === null ? null : `.holdfast/runs/${runId}/${fileName}`;
}

/** The handoff of a run, followed by its critical artifacts as far as there is room. */
export async function handoffWithArtifacts(
  ports: ContinuityPorts,
  hook: HookSource,
  standing: LiveStanding,
  facts: HandoffFacts,
  { loss, reason: source }: { readonly loss: number; readonly reason: Source },
): Promise<string> {
  await noteTaken(ports, hook, standing, facts);
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

/** A handoff brings the instructions, so the visit may end after it. */
async function noteTaken(
  ports: ContinuityPorts,
  { session }: HookSource,
  standing: LiveStanding,
  { here }: HandoffFacts,
): Promise<void> {
  const token = standing.run.visits.find((visit) => visit.untaken && visit.token === here?.token)?.token;
  if (token === undefined) return;
  await attempt(ports, () => recordNotices(ports, standing, [{ type: "take-instructions", token, session }]));
}

const heading = "CRITICAL ARTIFACTS\n\n";

/** The share of the limit that is reserved for artifacts, so that even a long handoff can at least name them. */
const spare = 0.2;
