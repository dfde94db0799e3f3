import type { HookEventName, HostName } from "../../src/hosts/contract/contract.ts";

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
export const everyEvent: readonly Told[] = [
  { event: "PreCompact", input: { session_id: session, trigger: "auto", custom_instructions: "" } },
  { event: "SessionStart", input: { session_id: session, source: "compact" } },
  { event: "PostCompact", input: { session_id: session, trigger: "auto", compact_summary: "We talked." } },
  { event: "UserPromptSubmit", input: { session_id: session, prompt: "Go on" } },
  { event: "PostToolUse", input: { session_id: session, tool_name: "Write", tool_input: { file_path: "notes.md" } } },
  { event: "Stop", input: { session_id: session, stop_hook_active: false } },
  { event: "SessionEnd", input: { session_id: session, reason: "other" } },
];

export const hosts: readonly HostName[] = ["claude", "codex"];
