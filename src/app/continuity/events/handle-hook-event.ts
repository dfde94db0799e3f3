import { oneLine } from "../../../handoff/data-text.ts";
import { attempt, type ContinuityPorts, type HookReply, type HookSource } from "../ports/ports.ts";
import { beforeCompaction } from "./before-compaction.ts";
import { restoreSession } from "./restore-session.ts";

/** What a host says happened. */
export interface HookEvent {
  readonly name:
    | "SessionStart"
    | "PreCompact"
    | "PostCompact"
    | "UserPromptSubmit"
    | "PostToolUse"
    | "Stop"
    | "SessionEnd";
  readonly transcript: string | null;
  readonly source: string | null;
  readonly trigger: string | null;
  readonly reason: string | null;
  readonly summaryLength: number | null;
  readonly stopActive: boolean;
  readonly paths: readonly string[];
}

/** What a hook does and says, whoever calls it. What went wrong on the way becomes one line for the person. */
export async function handleHookEvent(ports: ContinuityPorts, hook: HookSource, event: HookEvent): Promise<HookReply> {
  const answer = (await attempt(ports, () => act(ports, hook, event))) ?? {};
  const [trouble] = ports.troubles;
  // At every turn it would be a nuisance; whoever wants to know finds it in the log.
  if (trouble === undefined || !tellsTrouble.includes(event.name)) return answer;
  return { ...answer, notice: `Holdfast: ${oneLine(trouble, 300)}` };
}

const tellsTrouble: readonly HookEvent["name"][] = ["SessionStart", "PreCompact"];

/** Some events load what only they need; where nothing is to be done, nothing is loaded. */
async function act(ports: ContinuityPorts, hook: HookSource, event: HookEvent): Promise<HookReply> {
  const { name, trigger, summaryLength, transcript, paths, stopActive } = event;
  switch (name) {
    case "SessionStart":
      return restoreSession(ports, hook, event.source);
    case "PreCompact":
      return beforeCompaction(ports, hook, trigger ?? "unknown");
    case "PostCompact": {
      const { afterCompaction } = await import("./after-compaction.ts");
      return afterCompaction(ports, hook, trigger ?? "unknown", summaryLength ?? 0);
    }
    case "UserPromptSubmit":
    case "PostToolUse":
    case "Stop": {
      if (name === "UserPromptSubmit" && ports.sessions.read(hook.session).pending === null) return {};
      const { handleTurnEvent: inTurn } = await import("./turn-events.ts");
      return inTurn(ports, hook, { name, transcript, paths, stopActive });
    }
    case "SessionEnd": {
      const { endSession } = await import("./end-session.ts");
      return endSession(ports, hook, event.reason ?? "other");
    }
  }
}
