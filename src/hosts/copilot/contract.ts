import type { HostContract } from "../contract/contract.ts";

export const copilotContract: HostContract = {
  accepts: {
    SessionStart: ["context"],
    UserPromptSubmit: ["context"],
    PostToolUse: ["context"],
    PreCompact: [],
    // It has no such event.
    PostCompact: [],
    Stop: ["block"],
    SessionEnd: [],
  },
  contextIn: "additionalContext",
  // It accepts more, but a longer text is no better handoff.
  room: { limit: 9_000, unit: "characters" },
  sessionVariable: "COPILOT_AGENT_SESSION_ID",
  versionIn: null,
  shellVariables: [/^COPILOT_(CLI|AGENT_SESSION_ID)$/],
};
