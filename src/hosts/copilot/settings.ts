import { isDeepStrictEqual } from "node:util";
import type { HookEventName } from "../contract/contract.ts";
import type { Edited, HostFile } from "../contract/host.ts";
import { type HookGroup, type HookGroups, putHooks, takeHooks } from "../entries/hook-entries.ts";
import { readJson } from "../entries/json-text.ts";

export const copilotHooks: HostFile = {
  path: ".github/hooks/holdfast.json",
  about: "hooks that put the agent back on its run",
  putIn: (text) => putHooks(text ?? `${JSON.stringify(frame, null, 2)}\n`, hooks()),
  takeOut,
};

/** What the file has besides hooks. */
const frame = { version: 1 };

function takeOut(text: string, original: string | null): Edited<string | null> {
  const left = takeHooks(text, original);
  if (!left.ok || left.text === null || original !== null) return left;
  const reading = readJson(left.text);
  return reading.ok && isDeepStrictEqual(reading.value, frame) ? { ok: true, text: null } : left;
}

/**
 * Copilot CLI knows the events by the names of Claude Code, too, and then sends the fields that Claude Code has. After a
 * compaction no session starts, and the agent may go on without a prompt: so each tool call asks whether it lost something.
 */
function hooks(): HookGroups {
  return {
    SessionStart: group("SessionStart", 10),
    UserPromptSubmit: group("UserPromptSubmit", 10),
    PostToolUse: group("PostToolUse", 10),
    PreCompact: group("PreCompact", 10),
    Stop: group("Stop", 10),
    SessionEnd: group("SessionEnd", 5),
  };
}

/** It runs a command in the root of the repository, with a shell: the words need no quotes in any of them. */
function group(event: HookEventName, timeout: number): HookGroup {
  return {
    hooks: [{ type: "command", command: `node .holdfast/hook.cjs --host copilot --via copilot ${event}`, timeout }],
  };
}
