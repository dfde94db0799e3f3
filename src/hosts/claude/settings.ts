import type { HookEventName } from "../contract/contract.ts";
import type { HostFile } from "../contract/host.ts";
import { type HookEntry, type HookGroups, putHooks, takeHooks } from "../entries/hook-entries.ts";

/** Where our hooks are registered: in the settings of a project or of the user, or by the plugin. */
export interface ClaudeWay {
  readonly via: "project" | "plugin" | "user";
  /** The folder with the shims. */
  readonly folder: string;
  /** The name of the server for an `mcp_tool` hook. */
  readonly server: string;
}

const projectWay: ClaudeWay = {
  via: "project",
  folder: `${filledIn("CLAUDE_PROJECT_DIR")}/.holdfast`,
  server: "holdfast",
};

export const claudeSettings: HostFile = {
  path: ".claude/settings.json",
  about: "hooks, so that the agent finds back to its run",
  putIn: (text) => putHooks(text, claudeHooks(projectWay)),
  takeOut: takeHooks,
};

/** The hooks that Claude Code runs in every folder. */
export function userSettings(folder: string): HostFile {
  const way: ClaudeWay = { via: "user", folder, server: "holdfast" };
  return { path: ".claude/settings.json", putIn: (text) => putHooks(text, claudeHooks(way)), takeOut: takeHooks };
}

/**
 * Frequent events go to the MCP server, which is already running. The others start a process: SessionStart comes before
 * servers are connected, and at SessionEnd they may be gone.
 */
export function claudeHooks(way: ClaudeWay): HookGroups {
  return {
    SessionStart: { hooks: [commandHook(way, "SessionStart", 10)] },
    UserPromptSubmit: { hooks: [toolHook(way, "UserPromptSubmit")] },
    PostToolUse: {
      matcher: "Write|Edit|MultiEdit|NotebookEdit",
      hooks: [toolHook(way, "PostToolUse", { notebook_path: filledIn("tool_input.notebook_path") })],
    },
    PreCompact: { hooks: [commandHook(way, "PreCompact", 10)] },
    PostCompact: { hooks: [commandHook(way, "PostCompact", 10)] },
    Stop: { hooks: [toolHook(way, "Stop")] },
    SessionEnd: { hooks: [commandHook(way, "SessionEnd", 5)] },
  };
}

function commandHook({ via, folder }: ClaudeWay, event: HookEventName, timeout: number): HookEntry {
  const args = [`${folder}/hook.mjs`, "--host", "claude", "--via", via, event];
  return { type: "command", command: "node", args, timeout };
}

/** Claude Code passes an empty string for a field that the event does not have. */
function toolHook(
  { via, server }: ClaudeWay,
  event: HookEventName,
  more: Readonly<Record<string, string>> = {},
): HookEntry {
  const fields = ["session_id", "agent_id", "cwd", "transcript_path", "prompt_id", "stop_hook_active"];
  const input = {
    event,
    ...Object.fromEntries(fields.map((field) => [field, filledIn(field)])),
    file_path: filledIn("tool_input.file_path"),
    ...more,
    via,
    host: "claude",
  };
  return { type: "mcp_tool", server, tool: "hook", input, timeout: 10 };
}

/** A placeholder that Claude Code replaces when it runs the hook. */
export function filledIn(name: string): string {
  return `\${${name}}`;
}
