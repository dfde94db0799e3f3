import type { HookEventName } from "../contract/contract.ts";
import type { HostFile } from "../contract/host.ts";
import { type HookGroup, type HookGroups, putHooks, takeHooks } from "../entries/hook-entries.ts";

export const codexHooks: HostFile = {
  path: ".codex/hooks.json",
  putIn: (text) => putHooks(text, hooks()),
  takeOut: takeHooks,
};

/**
 * A script that finds a shim from any folder of the project and runs it: Codex starts hooks and servers in the folder it
 * was started in, and has no variable for the project root. One more argument must follow, in place of a script name.
 */
export function findAndRun(shim: "hook" | "mcp"): string {
  const search = `while(!fs.existsSync(f=d+'/.holdfast/${shim}.mjs')&&d!=(d=path.dirname(d)));`;
  return `let d=process.cwd(),f;${search}import(url.pathToFileURL(f)).catch(()=>0)`;
}

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
  const command = `node -e "${findAndRun("hook")}" -- hook ${words}`;
  return { hooks: [{ type: "command", command, commandWindows: `node .holdfast/hook.mjs ${words}`, timeout }] };
}
