import type { HostContract } from "../contract/contract.ts";

export const codexContract: HostContract = {
  accepts: {
    SessionStart: ["context", "notice"],
    UserPromptSubmit: ["context", "notice"],
    PostToolUse: ["context", "notice"],
    PreCompact: ["notice"],
    PostCompact: ["notice"],
    Stop: ["block", "notice"],
    SessionEnd: [],
  },
  contextIn: "hookSpecificOutput",
  // It accepts 2,500, and one character may take several.
  room: { limit: 2_400, unit: "tokens" },
  // It does not tell an end from a pause.
  finalEnds: [],
  sessionVariable: null,
  versionIn: null,
  programs: ["codex", "@openai/codex"],
  shellVariables: [/^CODEX_(SANDBOX|SANDBOX_NETWORK_DISABLED|THREAD_ID|SESSION_ID|INTERNAL_ORIGINATOR_OVERRIDE)$/],
};
