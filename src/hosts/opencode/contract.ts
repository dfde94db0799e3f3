import type { HostContract } from "../contract/contract.ts";

/** What our plugin makes of the output, and opencode of that. */
export const opencodeContract: HostContract = {
  accepts: {
    SessionStart: ["context", "notice"],
    UserPromptSubmit: [],
    PostToolUse: [],
    PreCompact: ["instructions"],
    PostCompact: ["notice"],
    Stop: ["block", "notice"],
    SessionEnd: [],
  },
  contextIn: "additionalContext",
  // It sets no limit of its own.
  room: { limit: 9_000, unit: "characters" },
  // The plugin sets HOLDFAST_SESSION in the shell of a session.
  sessionVariable: null,
  versionIn: null,
  shellVariables: [/^OPENCODE(_PID)?$/],
};
