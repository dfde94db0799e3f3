import type { HookEventName } from "../../src/hosts/contract/contract.ts";
import type { HostName } from "../../src/hosts/contract/names.ts";
import { times } from "../dose.ts";

/** One thing that a host may tell. */
export interface Told {
  readonly event: HookEventName;
  readonly input: Readonly<Record<string, unknown>>;
}

export const session = "5e551077-aaaa-4bbb-8ccc-000000000001";

export const sessionStarts: readonly Told[] = ["startup", "resume", "clear", "compact", "fork", "a-newer-one"].map(
  (source) => ({ event: "SessionStart", input: { session_id: session, source } }),
);

/** Every event once, in the order of a conversation that is compacted, goes on and ends. */
const everyEvent: readonly Told[] = [
  { event: "PreCompact", input: { session_id: session, trigger: "auto", custom_instructions: "" } },
  { event: "SessionStart", input: { session_id: session, source: "compact" } },
  { event: "PostCompact", input: { session_id: session, trigger: "auto", compact_summary: "We talked." } },
  { event: "UserPromptSubmit", input: { session_id: session, prompt: "Go on" } },
  { event: "PostToolUse", input: { session_id: session, tool_name: "Write", tool_input: { file_path: "notes.md" } } },
  { event: "Stop", input: { session_id: session, stop_hook_active: false } },
  { event: "SessionEnd", input: { session_id: session, reason: "other" } },
];

/** Every event in the long tier. In the quick one the start of a session, and one of the others in turn. */
export function someEvents(turn: number): readonly Told[] {
  const others = everyEvent.filter(({ event }) => event !== "SessionStart");
  const count = times({ quick: 1, long: others.length, soak: others.length });
  const chosen = Array.from({ length: count }, (_, n) => others[(turn + n) % others.length]);
  return everyEvent.filter((told) => told.event === "SessionStart" || chosen.includes(told));
}

export const hosts: readonly HostName[] = ["claude", "codex", "copilot"];
