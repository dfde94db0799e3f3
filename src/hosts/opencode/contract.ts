import { type HostContract, usualRoom } from "../contract/contract.ts";

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
  room: usualRoom,
  // The plugin tells of a session that was deleted, and of no other end.
  finalEnds: ["other"],
  // The plugin sets HOLDFAST_SESSION in the shell of a session.
  sessionVariable: null,
  versionIn: null,
  programs: ["opencode", "opencode-ai"],
  shellVariables: [/^OPENCODE(_PID)?$/],
};
