import { type HostContract, usualRoom } from "../contract/contract.ts";

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
  room: usualRoom,
  // It tells of the end of a turn and of a clear in the same words as of its exit.
  finalEnds: [],
  sessionVariable: "COPILOT_AGENT_SESSION_ID",
  versionIn: null,
  programs: ["copilot", "@github/copilot"],
  shellVariables: [/^COPILOT_(CLI|AGENT_SESSION_ID)$/],
  runsHooksOf: {
    host: "claude",
    // It dates its events. Claude Code names its transcript with each one; Copilot CLI only with some, and has it elsewhere.
    isSender: ({ timestamp, transcript_path: transcript }) =>
      timestamp !== undefined && String(transcript || "session-state").includes("session-state"),
  },
};
