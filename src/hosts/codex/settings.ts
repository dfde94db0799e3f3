import type { HookEventName } from "../contract/contract.ts";
import type { HostFile } from "../contract/host.ts";
import { type HookGroup, type HookGroups, putHooks, takeHooks } from "../entries/hook-entries.ts";
import { runNearest } from "../shims/find-shim.ts";

export const codexHooks: HostFile = {
  path: ".codex/hooks.json",
  putIn: (text) => putHooks(text, hooks()),
  takeOut: takeHooks,
};

function hooks(): HookGroups {
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

/** Codex runs `command` in a shell. Windows gets its own line without quotes, which its shell would break. */
function group(event: HookEventName, timeout: number): HookGroup {
  const words = `--host codex --via project ${event}`;
  const command = `node -e "${runNearest("hook")}" -- hook ${words}`;
  return { hooks: [{ type: "command", command, commandWindows: `node .holdfast/hook.mjs ${words}`, timeout }] };
}
