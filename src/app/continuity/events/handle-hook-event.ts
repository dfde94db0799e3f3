import { oneLine } from "../../../handoff/data-text.ts";
import { attempt, type ContinuityPorts, type HookReply, type HookSource } from "../ports/ports.ts";
import { beforeCompaction } from "./before-compaction.ts";
import { restoreSession, restoreSubagent } from "./restore-session.ts";

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
  const [trouble] = ports.troubles;
  // Repeating it at every turn would be a nuisance; it is in the log.
  if (trouble === undefined || !tellsTrouble.includes(event.name)) return answer;
  return { ...answer, notice: `Holdfast: ${oneLine(trouble, 300)}` };
}

const tellsTrouble: readonly HookEvent["name"][] = ["SessionStart", "PreCompact"];

/** Code that only some events need is loaded on demand. */
async function act(ports: ContinuityPorts, hook: HookSource, event: HookEvent): Promise<HookReply> {
  const { name, agent, trigger, summaryLength, transcript, paths, stopActive } = event;
  switch (name) {
    case "SessionStart":
      return agent === null ? restoreSession(ports, hook, event.source) : restoreSubagent(ports, hook);
    case "PreCompact":
      return agent === null ? beforeCompaction(ports, hook, { trigger: trigger ?? "unknown", transcript }) : {};
    case "PostCompact": {
      if (agent !== null) return {};
      const { afterCompaction } = await import("./after-compaction.ts");
      return afterCompaction(ports, hook, trigger ?? "unknown", summaryLength ?? 0);
    }
    case "UserPromptSubmit":
    case "PostToolUse":
    case "Stop": {
      const mayMatter = name === "Stop" || paths.length > 0;
      if (!mayMatter && !hasLoss(ports, hook)) return {};
      const { handleTurnEvent } = await import("./turn-events.ts");
      return handleTurnEvent(ports, hook, { name, agent, transcript, paths, stopActive });
    }
    case "SessionEnd": {
      const { endSession } = await import("./end-session.ts");
      return endSession(ports, hook, event.reason ?? "other");
    }
  }
}

/** Whether the session has lost its context and may not have been told everything again. */
function hasLoss({ sessions }: ContinuityPorts, { session, parent }: HookSource): boolean {
  const known = sessions.read(session);
  // The session began before the project had a place for its log. The server must learn its name all the same.
  if (known.parent === null) sessions.setParent(parent, session);
  return known.pending !== null;
}
