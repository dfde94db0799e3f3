import type { HookEventName } from "../contract/contract.ts";
import { filledIn } from "../contract/hook-call.ts";
import type { HostFile } from "../contract/host.ts";
import { type HookEntry, type HookGroups, putHooks, takeHooks } from "../entries/hook-entries.ts";

/** Where our hooks are registered: in the settings of a project or of the user, or by the plugin. */
export interface ClaudeWay {
  readonly via: "project" | "plugin" | "user";
  /** The folder with the shims. */
  readonly folder: string;
}

const projectWay: ClaudeWay = {
  via: "project",
  folder: `${filledIn("CLAUDE_PROJECT_DIR")}/.holdfast`,
};

export const claudeSettings: HostFile = {
  path: ".claude/settings.json",
  about: "hooks that put the agent back on its run",
  putIn: (text) => putHooks(text, claudeHooks(projectWay)),
  takeOut: takeHooks,
};

/** The hooks that Claude Code runs in every folder. */
export function userSettings(folder: string): HostFile {
  const way: ClaudeWay = { via: "user", folder };
  return { path: ".claude/settings.json", putIn: (text) => putHooks(text, claudeHooks(way)), takeOut: takeHooks };
}

/**
 * Every event starts a process. A hook that calls the MCP server instead is faster, but Claude Code shows an error to the
 * person when the server is declined, missing, slow or not yet connected.
 */
export function claudeHooks(way: ClaudeWay): HookGroups {
  return {
    SessionStart: { hooks: [commandHook(way, "SessionStart", 10)] },
    UserPromptSubmit: { hooks: [commandHook(way, "UserPromptSubmit", 10)] },
    PostToolUse: {
      matcher: "Write|Edit|MultiEdit|NotebookEdit",
      hooks: [commandHook(way, "PostToolUse", 10)],
    },
    PreCompact: { hooks: [commandHook(way, "PreCompact", 10)] },
    PostCompact: { hooks: [commandHook(way, "PostCompact", 10)] },
    Stop: { hooks: [commandHook(way, "Stop", 10)] },
    SessionEnd: { hooks: [commandHook(way, "SessionEnd", 5)] },
  };
}

function commandHook({ via, folder }: ClaudeWay, event: HookEventName, timeout: number): HookEntry {
  const args = [`${folder}/hook.cjs`, "--host", "claude", "--via", via, event];
  return { type: "command", command: "node", args, ...(via === "project" ? forCopilot(event) : {}), timeout };
}

/**
 * Copilot CLI runs the hooks of these settings, too. It ignores the arguments and would start Node alone, but it prefers
 * these lines, which Claude Code ignores.
 */
function forCopilot(event: HookEventName) {
  const line = `node .holdfast/hook.cjs --host copilot --via project ${event}`;
  return { bash: line, powershell: line };
}
