import type { Answer, Scene, Teller } from "../ports/scene.ts";
import { noteFiles } from "./note-files.ts";
import { onStop } from "./on-stop.ts";
import { bringAgain } from "./resend-handoff.ts";

/** What happens within a turn. Where a host can, it tells the server of it, so hooks load this seldom. */
export type InTurn = { readonly transcript: string | null } & (
  | { readonly name: "UserPromptSubmit" }
  | { readonly name: "PostToolUse"; readonly paths: readonly string[] }
  | { readonly name: "Stop"; readonly stopActive: boolean }
);

export async function inTurn(scene: Scene, teller: Teller, happening: InTurn): Promise<Answer> {
  if (happening.name === "Stop") return onStop(scene, teller, happening.stopActive);
  if (happening.name === "PostToolUse") await noteFiles(scene, teller, happening.paths);
  return bringAgain(scene, teller, happening.transcript);
}
