import { isLiveStanding } from "../../../journal/run-journal.ts";
import type { Visit } from "../../../model/run.ts";
import { claimsOf } from "../../../model/run-state.ts";
import { chooseForHook } from "../ports/choose-for-hook.ts";
import type { ContinuityPorts, HookReply, HookSource } from "../ports/ports.ts";
import { briefOf } from "./subagent-compaction.ts";

/**
 * After the compaction of a subagent: the main agent has lost nothing. The run is the subagent's business only if it was
 * given a task of it, which the token in its brief tells. In doubt it gets no task: it might be another subagent's.
 */
export async function restoreSubagent(
  ports: ContinuityPorts,
  hook: HookSource,
  agent: string | null,
  transcript: string | null,
): Promise<HookReply> {
  const chosen = await chooseForHook(ports, hook);
  if (chosen === null) return {};
  const { standing, claim } = chosen;
  const { session } = hook;
  const own = claim === "bound" && isLiveStanding(standing) ? claimsOf(standing.run, session) : [];
  const visit = own.length === 0 || transcript === null ? null : namedIn(briefOf(transcript, agent), own);
  const { subagentHandoff, subagentText } = await import("../../../handoff/short-texts.ts");
  if (visit === null || !isLiveStanding(standing)) return { context: subagentText };
  const { gatherFacts } = await import("../handoff/gather-facts.ts");
  const context = subagentHandoff(await gatherFacts(ports, standing, { session, visit, others: [] }));
  return { context, about: { standing, visit: visit.token, kind: "subagent" } };
}

/** The visit whose claim a text names. A claim stays the same through the sub-steps and retries of its task. */
function namedIn(brief: string, own: readonly Visit[]): Visit | null {
  const numbers = new Set([...brief.matchAll(/#\d+(?:~\d+)?@(\d{1,15})(?!\d)/g)].map(([, number]) => Number(number)));
  const [named, ...others] = own.filter(({ claim }) => numbers.has(claim?.number ?? 0));
  return named === undefined || others.length > 0 ? null : named;
}
