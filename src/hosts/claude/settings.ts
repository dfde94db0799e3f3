import type { HookEventName } from "../contract/contract.ts";
import type { HostFile } from "../contract/host.ts";
import { type HookEntry, type HookGroups, putHooks, takeHooks } from "../entries/hook-entries.ts";

/** Where hooks of ours are registered: in a project's settings, or by the plugin. */
export interface ClaudeWay {
  readonly via: "project" | "plugin";
  /** The folder that holds the shims. */
  readonly folder: string;
  /** The server's name, as an `mcp_tool` hook has to call it. */
  readonly server: string;
}

const projectWay: ClaudeWay = {
  via: "project",
  folder: `${filledIn("CLAUDE_PROJECT_DIR")}/.holdfast`,
  server: "holdfast",
};

export const claudeSettings: HostFile = {
  path: ".claude/settings.json",
  putIn: (text) => putHooks(text, claudeHooks(projectWay)),
  takeOut: takeHooks,
};

/**
 * Events that come often go to the server, which runs already. The others start a process: SessionStart comes before
 * servers are connected, and SessionEnd when they may be gone.
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

/** A field that an event does not have is handed over as an empty text. */
function toolHook(
  { via, server }: ClaudeWay,
  event: HookEventName,
  more: Readonly<Record<string, string>> = {},
): HookEntry {
  const fields = ["session_id", "cwd", "transcript_path", "prompt_id", "stop_hook_active"];
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

/** Claude Code puts the value in when it runs the hook. */
export function filledIn(name: string): string {
  return `\${${name}}`;
}
