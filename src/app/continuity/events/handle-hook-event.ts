import { oneLine } from "../../../handoff/data-text.ts";
import type { HostContract } from "../../../hosts/contract/contract.ts";
import { contracts } from "../../../hosts/contracts.ts";
import { attempt, type ContinuityPorts, type HookReply, type HookSource } from "../ports/ports.ts";

/** A hook event, in the same form for every host. */
export interface HookEvent {
  readonly name:
    | "SessionStart"
    | "PreCompact"
    | "PostCompact"
    | "UserPromptSubmit"
    | "PostToolUse"
    | "Stop"
    | "SessionEnd";
  /** The subagent that the event is about. */
  readonly agent: string | null;
  readonly transcript: string | null;
  readonly source: string | null;
  readonly trigger: string | null;
  readonly reason: string | null;
  readonly summaryLength: number | null;
  readonly stopActive: boolean;
  readonly paths: readonly string[];
}

/** Handles a hook event and returns the reply. Problems become one line for the person. */
export async function handleHookEvent(ports: ContinuityPorts, hook: HookSource, event: HookEvent): Promise<HookReply> {
  const answer = (await attempt(ports, () => act(ports, hook, event))) ?? {};
  await recordAnswer(ports, hook, event, answer);
  const [trouble] = ports.troubles;
  // Repeating it at every turn would be a nuisance; it is in the log.
  if (trouble === undefined || !tellsTrouble.includes(event.name)) return answer;
  return { ...answer, notice: `Holdfast: ${oneLine(trouble, 300)}` };
}

/** Most answers tell the model nothing. */
async function recordAnswer(
  ports: ContinuityPorts,
  { session, host }: HookSource,
  { name }: HookEvent,
  { about, context, block }: HookReply,
): Promise<void> {
  const content = context ?? block;
  if (about === undefined || content === undefined) return;
  const known: Readonly<Record<string, HostContract | undefined>> = contracts;
  // The host would not pass it on.
  if (known[host]?.accepts[name].includes(context === undefined ? "block" : "context") === false) return;
  const { standing, kind, visit } = about;
  const { recordShown } = await import("../../shown/shown-log.ts");
  recordShown(ports.machine(), standing, { at: ports.now(), kind, session, visit, content });
}

const tellsTrouble: readonly HookEvent["name"][] = ["SessionStart", "PreCompact"];

/** Code that only some events need is loaded on demand. */
async function act(ports: ContinuityPorts, hook: HookSource, event: HookEvent): Promise<HookReply> {
  const { name, agent, trigger, summaryLength, transcript, paths, stopActive } = event;
  switch (name) {
    case "SessionStart":
      if (agent === null)
        return (await import("./restore-session.ts")).restoreSession(ports, hook, event.source, transcript);
      return (await import("./restore-subagent.ts")).restoreSubagent(ports, hook, agent, transcript);
    case "PreCompact": {
      if (agent !== null) return {};
      const { beforeCompaction } = await import("./before-compaction.ts");
      return beforeCompaction(ports, hook, { trigger: trigger ?? "unknown", transcript });
    }
    case "PostCompact": {
      if (agent !== null) return {};
      const { afterCompaction } = await import("./after-compaction.ts");
      return afterCompaction(ports, hook, trigger ?? "unknown", summaryLength ?? 0);
    }
    case "UserPromptSubmit":
    case "PostToolUse":
    case "Stop":
      return inTurn(ports, hook, { name, agent, transcript, paths, stopActive });
    case "SessionEnd": {
      const { endSession } = await import("./end-session.ts");
      return endSession(ports, hook, event.reason ?? "other");
    }
  }
}

/** Most events within a turn need nothing. */
async function inTurn(ports: ContinuityPorts, hook: HookSource, event: TurnFields): Promise<HookReply> {
  const { name, agent, paths } = event;
  const { session, parent } = hook;
  const known = ports.sessions.read(session);
  // The server of the host must learn the session that speaks: several may share a process, and one may have begun before
  // the project had a place for its log.
  if (agent === null && (name === "UserPromptSubmit" || known.parent === null))
    ports.sessions.setParent(parent, session);
  if (name !== "Stop" && paths.length === 0 && known.pending === null) return {};
  const { handleTurnEvent } = await import("./turn-events.ts");
  return handleTurnEvent(ports, hook, event);
}

type TurnFields = Pick<HookEvent, "agent" | "transcript" | "paths" | "stopActive"> & {
  readonly name: "UserPromptSubmit" | "PostToolUse" | "Stop";
};
