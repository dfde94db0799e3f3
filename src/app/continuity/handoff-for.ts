import { createHash } from "node:crypto";
import { buildHandoff } from "../../handoff/build.ts";
import type { HandoffFacts } from "../../handoff/facts.ts";
import { attempt, type Scene, type Teller } from "./scene.ts";

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
export async function handoffFor(
  scene: Scene,
  { session, host }: Teller,
  facts: HandoffFacts,
  { loss, reason }: { readonly loss: number; readonly reason: string },
): Promise<string> {
  const allowed = limits[host] ?? usual;
  const limit = Math.min(allowed.limit, scene.settings.handoff.limit ?? allowed.limit);
  const id = handoffId(session, loss);
  const whole = buildHandoff(facts, { id, reason, limit: wholeLimit, weigh: "characters", file: null });
  const short = buildHandoff(facts, { id, reason, limit, weigh: allowed.weigh, file: fileOf(facts) });
  const { runId } = facts;
  if (short.length < whole.length && runId !== null) {
    await attempt(scene, () => scene.files.write(runId, fileName, whole, "quick"));
  }
  return short;
}

const wholeLimit = 400_000;
const fileName = "handoff.md";

function fileOf({ runId }: HandoffFacts): string | null {
  return runId === null ? null : `.holdfast/runs/${runId}/${fileName}`;
}
