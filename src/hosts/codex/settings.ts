import type { HookEventName } from "../contract/contract.ts";
import type { HostFile } from "../contract/host.ts";
import { type HookGroup, type HookGroups, putHooks, takeHooks } from "../entries/hook-entries.ts";

export const codexHooks: HostFile = {
  path: ".codex/hooks.json",
  putIn: (text) => putHooks(text, hooks()),
  takeOut: takeHooks,
};

/**
 * Finds a shim from any folder of the project and runs it: Codex starts hooks and servers wherever it was started itself,
 * and has no name for the project's top. A word for the place of a script's own name has to follow.
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
    // Codex gives it no more, and complains about more.
    SessionEnd: group("SessionEnd", 3),
  };
}

/** A command is a line for a shell here. Windows has a line of its own, without quotes: its shell takes them apart. */
function group(event: HookEventName, timeout: number): HookGroup {
  const words = `--host codex --via project ${event}`;
  const command = `node -e "${findAndRun("hook")}" -- hook ${words}`;
  return { hooks: [{ type: "command", command, commandWindows: `node .holdfast/hook.mjs ${words}`, timeout }] };
}
