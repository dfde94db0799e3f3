import type { ContinuityPorts, HookReply, HookSource } from "../ports/ports.ts";
import { noteFiles } from "./note-files.ts";
import { onStop } from "./on-stop.ts";
import { resendHandoff } from "./resend-handoff.ts";

/** Events within a turn. Most of them have nothing to do, and then no hook loads this file. */
export type TurnEvent = { readonly agent: string | null; readonly transcript: string | null } & (
  | { readonly name: "UserPromptSubmit" }
  | { readonly name: "PostToolUse"; readonly paths: readonly string[] }
  | { readonly name: "Stop"; readonly stopActive: boolean }
);

export async function handleTurnEvent(ports: ContinuityPorts, hook: HookSource, event: TurnEvent): Promise<HookReply> {
  if (event.name === "Stop") return onStop(ports, hook, event);
  if (event.name === "PostToolUse") await noteFiles(ports, hook, event.paths);
  // The handoff is for the main agent, whatever its subagents do meanwhile.
  return event.agent !== null ? {} : resendHandoff(ports, hook, event.transcript);
}
