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
  return { ...answer, notice: `Holdfast: ${trouble}` };
}

const tellsTrouble: readonly Happening["name"][] = ["SessionStart", "PreCompact"];

/** Each event loads only what it needs. */
async function act(scene: Scene, teller: Teller, happening: Happening): Promise<Answer> {
  const { trigger, summaryLength, transcript } = happening;
  switch (happening.name) {
    case "SessionStart":
      return (await import("./restore-session.ts")).restoreSession(scene, teller, happening.source);
    case "PreCompact":
      return (await import("./before-compaction.ts")).beforeCompaction(scene, teller, trigger ?? "unknown");
    case "PostCompact":
      return (await import("./after-compaction.ts")).afterCompaction(
        scene,
        teller,
        trigger ?? "unknown",
        summaryLength ?? 0,
      );
    case "UserPromptSubmit":
      return (await import("./bring-again.ts")).bringAgain(scene, teller, transcript);
    case "PostToolUse":
      await (await import("./note-files.ts")).noteFiles(scene, teller, happening.paths);
      return (await import("./bring-again.ts")).bringAgain(scene, teller, transcript);
    case "Stop":
      return (await import("./on-stop.ts")).onStop(scene, teller, happening.stopActive);
    case "SessionEnd":
      return (await import("./end-session.ts")).endSession(scene, teller, happening.reason ?? "other");
  }
}
