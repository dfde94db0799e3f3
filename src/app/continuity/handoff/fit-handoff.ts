import type { PlannedArtifact } from "../../../artifacts/plan-loading.ts";
import { buildHandoff } from "../../../handoff/build.ts";
import { charactersPerToken, estimateTokens } from "../../../handoff/estimate-tokens.ts";
import type { HandoffFacts } from "../../../handoff/facts.ts";
import { type HandoffRoom, type HostContract, usualRoom } from "../../../hosts/contract/contract.ts";
import { contracts } from "../../../hosts/contracts.ts";
import type { LiveStanding } from "../../../journal/run-journal.ts";
import { sha256Hex } from "../../../platform/files.ts";
import type { Source } from "../../../project/settings.ts";
import { attempt, type ContinuityPorts, type HookSource, recordNotices } from "../ports/ports.ts";
import type { HandoffArtifacts } from "./handoff-artifacts.ts";

/** How long a handoff may be, also for a caller that is no host. */
function handoffRoom(host: string): HandoffRoom {
  const known: Readonly<Record<string, HostContract | undefined>> = contracts;
  return known[host]?.room ?? usualRoom;
}

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
  const { limit: most, unit } = handoffRoom(host);
  const limit = Math.floor(most * (1 - spare));
  const id = handoffId(session, loss);
  const name = fileName(facts, session);
  const file = facts.runId === null ? null : `.holdfast/runs/${facts.runId}/${name}`;
  const whole = buildHandoff(facts, { id, reason, limit: wholeLimit, unit: "characters", file: null });
  const fitted = buildHandoff(facts, { id, reason, limit, unit, file });
  const own = Math.floor((ports.settings.handoff.limit ?? Number.POSITIVE_INFINITY) * (1 - spare));
  const short =
    fitted.length <= own ? fitted : buildHandoff(facts, { id, reason, limit: own, unit: "characters", file });
  const { runId } = facts;
  if (short.length < whole.length && runId !== null) {
    await attempt(ports, () => ports.files.write(runId, name, whole, "quick"));
  }
  return short;
}

/** How many characters a text may have: what the host accepts, and what the project sets. */
function mostCharacters(ports: ContinuityPorts, { host }: HookSource): number {
  const { limit, unit } = handoffRoom(host);
  const accepted = unit === "tokens" ? limit * charactersPerToken : limit;
  return Math.floor(Math.min(accepted, ports.settings.handoff.limit ?? accepted));
}

function isAccepted({ host }: HookSource, text: string): boolean {
  const { limit, unit } = handoffRoom(host);
  return unit === "characters" || estimateTokens(text) <= limit;
}

/** Appends a text to a handoff, before the closing tag. */
function appendInsideFrame(handoff: string, text: string): string {
  const end = handoff.lastIndexOf("\n</holdfast>");
  return text === "" || end === -1 ? handoff : `${handoff.slice(0, end)}\n\n${text}${handoff.slice(end)}`;
}

const wholeLimit = 400_000;

/** Agents that work on different tasks must not overwrite each other's. */
function fileName({ tasks }: HandoffFacts, session: string): string {
  return tasks === null ? "handoff.md" : `handoff-${sha256Hex(session).slice(0, 8)}.md`;
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
  const { session } = hook;
  const plan = await planFor(ports, standing, { source, session });
  if (plan.every(({ status }) => status === "skip")) return fitHandoff(ports, hook, facts, { loss, reason: source });
  const { artifactsFor } = await import("./handoff-artifacts.ts");
  const artifacts = await artifactsFor(ports, standing, plan);
  const most = mostCharacters(ports, hook);
  const spare = Math.min(mostSpare, artifacts.need / most);
  const handoff = await fitHandoff(ports, hook, facts, { loss, reason: source, spare });
  const { text, records } = renderWithin(hook, handoff, artifacts, most - handoff.length);
  const loaded = { type: "note-artifacts", session, artifacts: records } as const;
  if (records.length > 0) await attempt(ports, () => recordNotices(ports, standing, [loaded]));
  return text;
}

/** The artifacts to load again after a context loss. */
async function planFor(
  ports: ContinuityPorts,
  { run }: LiveStanding,
  { source, session }: { readonly source: Source; readonly session: string },
): Promise<readonly PlannedArtifact[]> {
  const template = await ports.templateOf(run);
  const shared = ports.settings.artifacts;
  if (template.critical_artifacts === undefined && shared.length === 0) return [];
  const moments = [{ type: source === "compact" ? "compaction" : "session_start" }] as const;
  const { planArtifacts } = await import("../../priming/plan-artifacts.ts");
  // Forced: what was loaded before the loss may be gone from the context.
  return planArtifacts({ template, run, shared, moments, session, force: true });
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

/** The handoff with as much of the artifacts as there is room for. Where the host counts tokens, less may fit than it seems. */
function renderWithin(hook: HookSource, handoff: string, artifacts: HandoffArtifacts, most: number) {
  for (let room = most; room > heading.length; room = Math.floor(room * 0.8)) {
    const { text, records } = artifacts.render(room - heading.length - 2);
    const whole = text === "" ? handoff : appendInsideFrame(handoff, `${heading}${text}`);
    if (isAccepted(hook, whole)) return { text: whole, records };
  }
  return { text: handoff, records: [] };
}

const heading = "CRITICAL ARTIFACTS\n\n";

/** The largest share of the limit that is reserved for artifacts, so that even a long handoff shows where they begin. */
const mostSpare = 0.35;
