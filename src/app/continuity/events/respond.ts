import { oneLine } from "../../../handoff/data-text.ts";
import { type Answer, attempt, type Scene, type Teller } from "../ports/scene.ts";
import { beforeCompaction } from "./before-compaction.ts";
import { restoreSession } from "./restore-session.ts";

/** What a host says happened. */
export interface Happening {
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
export async function respond(scene: Scene, teller: Teller, happening: Happening): Promise<Answer> {
  const answer = (await attempt(scene, () => act(scene, teller, happening))) ?? {};
  const [trouble] = scene.troubles;
  // At every turn it would be a nuisance; whoever wants to know finds it in the log.
  if (trouble === undefined || !tellsTrouble.includes(happening.name)) return answer;
  return { ...answer, notice: `Holdfast: ${oneLine(trouble, 300)}` };
}

const tellsTrouble: readonly Happening["name"][] = ["SessionStart", "PreCompact"];

/** Some events load what only they need; where nothing is to be done, nothing is loaded. */
async function act(scene: Scene, teller: Teller, happening: Happening): Promise<Answer> {
  const { name, trigger, summaryLength, transcript, paths, stopActive } = happening;
  switch (name) {
    case "SessionStart":
      return restoreSession(scene, teller, happening.source);
    case "PreCompact":
      return beforeCompaction(scene, teller, trigger ?? "unknown");
    case "PostCompact": {
      const { afterCompaction } = await import("./after-compaction.ts");
      return afterCompaction(scene, teller, trigger ?? "unknown", summaryLength ?? 0);
    }
    case "UserPromptSubmit":
    case "PostToolUse":
    case "Stop": {
      if (name === "UserPromptSubmit" && scene.sessions.read(teller.session).pending === null) return {};
      const { inTurn } = await import("./turn-events.ts");
      return inTurn(scene, teller, { name, transcript, paths, stopActive });
    }
    case "SessionEnd": {
      const { endSession } = await import("./end-session.ts");
      return endSession(scene, teller, happening.reason ?? "other");
    }
  }
}
