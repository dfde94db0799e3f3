import type { Project } from "../cli/program.ts";
import { session } from "./events.ts";
import { type HookEnded, runHook } from "./hook-program.ts";

const transcript_path = `/home/a/.copilot/session-state/${session}/events.jsonl`;
const moments = {
  SessionStart: { source: "resume", initial_prompt: "Go on" },
  PreCompact: { transcript_path, trigger: "auto", custom_instructions: "" },
  UserPromptSubmit: { prompt: "Go on" },
  PostToolUse: { tool_name: "Bash", tool_input: { command: "ls" }, tool_result: { result_type: "success" } },
  Stop: { transcript_path, stop_reason: "end_turn", stop_hook_active: false },
  SessionEnd: { reason: "complete" },
} as const;
export type Moment = keyof typeof moments;

/** Which settings brought the hook: those of Claude Code, which Copilot CLI reads too, or its own. */
const ways = {
  claudes: { host: "claude", via: "project" },
  own: { host: "copilot", via: "copilot" },
} as const;

export function tell(project: Project, way: keyof typeof ways, moment: Moment, more: object = {}): Promise<HookEnded> {
  const input = { session_id: session, timestamp: "2026-11-15T23:13:22.013Z", ...moments[moment], ...more };
  return runHook(project, moment, input, ways[way]);
}
