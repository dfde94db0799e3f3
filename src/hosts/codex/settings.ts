import type { HookEventName } from "../contract/contract.ts";
import type { HostFile } from "../contract/host.ts";
import { type HookGroup, type HookGroups, putHooks, takeHooks } from "../entries/hook-entries.ts";
import { runNearest } from "../shims/find-shim.ts";

/** How Codex starts the shim: in a shell, and on Windows in another one. */
interface CodexWay {
  readonly via: "project" | "user";
  readonly command: string;
  readonly commandWindows: string;
}

/** Windows gets its own line without quotes, which its shell would break. */
export const codexHooks: HostFile = hooksFile({
  via: "project",
  command: `node -e "${runNearest("hook")}" -- hook`,
  commandWindows: "node .holdfast/hook.mjs",
});

/** The hooks that Codex runs everywhere. */
export function userHooks(shim: string): HostFile {
  const command = `node '${shim.replaceAll("'", "'\\''")}'`;
  return hooksFile({ via: "user", command, commandWindows: `node "${shim}"` });
}

function hooksFile(way: CodexWay): HostFile {
  return {
    path: ".codex/hooks.json",
    about: "hooks that put the agent back on its run",
    putIn: (text) => putHooks(text, hooks(way)),
    takeOut: takeHooks,
  };
}

function hooks(way: CodexWay): HookGroups {
  const group = (event: HookEventName, timeout: number) => groupOf(way, event, timeout);
  return {
    SessionStart: group("SessionStart", 10),
    UserPromptSubmit: group("UserPromptSubmit", 10),
    PostToolUse: { matcher: "apply_patch", ...group("PostToolUse", 10) },
    PreCompact: group("PreCompact", 10),
    PostCompact: group("PostCompact", 10),
    Stop: group("Stop", 10),
    // The maximum that Codex allows.
    SessionEnd: group("SessionEnd", 3),
  };
}

function groupOf({ via, command, commandWindows }: CodexWay, event: HookEventName, timeout: number): HookGroup {
  const words = ` --host codex --via ${via} ${event}`;
  const entry = { type: "command", command: command + words, commandWindows: commandWindows + words, timeout } as const;
  return { hooks: [entry] };
}
