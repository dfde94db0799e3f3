import { oneLine } from "../../handoff/data-text.ts";
import { afterCompaction } from "./after-compaction.ts";
import { beforeCompaction } from "./before-compaction.ts";
import { bringAgain } from "./bring-again.ts";
import { endSession } from "./end-session.ts";
import { noteFiles } from "./note-files.ts";
import { onStop } from "./on-stop.ts";
import { restoreSession } from "./restore-session.ts";
import { type Answer, attempt, type Scene, type Teller } from "./scene.ts";

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

async function act(scene: Scene, teller: Teller, happening: Happening): Promise<Answer> {
  const { trigger, summaryLength, transcript } = happening;
  switch (happening.name) {
    case "SessionStart":
      return restoreSession(scene, teller, happening.source);
    case "PreCompact":
      return beforeCompaction(scene, teller, trigger ?? "unknown");
    case "PostCompact":
      return afterCompaction(scene, teller, trigger ?? "unknown", summaryLength ?? 0);
    case "UserPromptSubmit":
      return bringAgain(scene, teller, transcript);
    case "PostToolUse":
      await noteFiles(scene, teller, happening.paths);
      return bringAgain(scene, teller, transcript);
    case "Stop":
      return onStop(scene, teller, happening.stopActive);
    case "SessionEnd":
      return endSession(scene, teller, happening.reason ?? "other");
  }
}
