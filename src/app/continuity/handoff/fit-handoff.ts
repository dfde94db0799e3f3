import { createHash } from "node:crypto";
import { buildHandoff } from "../../../handoff/build.ts";
import type { HandoffFacts } from "../../../handoff/facts.ts";
import { attempt, type ContinuityPorts, type HookSource } from "../ports/ports.ts";

/** Claude Code lets 10,000 characters through; Codex 2,500 tokens, of which a character may take more than one. */
const limits: Readonly<Record<string, { readonly limit: number; readonly weigh: "characters" | "tokens" }>> = {
  claude: { limit: 9_000, weigh: "characters" },
  codex: { limit: 2_400, weigh: "tokens" },
};
const usual = { limit: 9_000, weigh: "characters" } as const;

/** Names the loss of context that a handoff makes good. It stands in the text, so that a transcript shows whether it arrived. */
export function handoffId(session: string, loss: number): string {
  return `${createHash("sha256").update(session).digest("hex").slice(0, 8)}-${loss}`;
}

/** The handoff as this host can take it. Where it must be shortened, the whole is put into a file that it points to. */
export async function fitHandoff(
  ports: ContinuityPorts,
  { session, host }: HookSource,
  facts: HandoffFacts,
  { loss, reason, spare = 0 }: { readonly loss: number; readonly reason: string; readonly spare?: number },
): Promise<string> {
  const { limit: most, weigh } = limitFor(ports, host);
  const limit = Math.floor(most * (1 - spare));
  const id = handoffId(session, loss);
  const whole = buildHandoff(facts, { id, reason, limit: wholeLimit, weigh: "characters", file: null });
  const short = buildHandoff(facts, { id, reason, limit, weigh, file: fileOf(facts) });
  const { runId } = facts;
  if (short.length < whole.length && runId !== null) {
    await attempt(ports, () => ports.files.write(runId, fileName, whole, "quick"));
  }
  return short;
}

/** How many characters may still be added to a handoff. */
export function remainingRoom(ports: ContinuityPorts, { host }: HookSource, handoff: string): number {
  const { limit, weigh } = limitFor(ports, host);
  const characters = weigh === "tokens" ? limit * charactersInToken : limit;
  return Math.max(0, characters - handoff.length - 2);
}

/** Puts a text behind the rest of a handoff, inside its frame. */
export function appendInsideFrame(handoff: string, text: string): string {
  const end = handoff.lastIndexOf("\n</holdfast>");
  return text === "" || end === -1 ? handoff : `${handoff.slice(0, end)}\n\n${text}${handoff.slice(end)}`;
}

/** Few, to be on the safe side: many characters take a token of their own. */
const charactersInToken = 2;

function limitFor({ settings }: ContinuityPorts, host: string) {
  const allowed = limits[host] ?? usual;
  return { ...allowed, limit: Math.min(allowed.limit, settings.handoff.limit ?? allowed.limit) };
}

const wholeLimit = 400_000;
const fileName = "handoff.md";

function fileOf({ runId }: HandoffFacts): string | null {
  return runId === null ? null : `.holdfast/runs/${runId}/${fileName}`;
}
