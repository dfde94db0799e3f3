import { type HostContract, usualRoom } from "../contract/contract.ts";

export const claudeContract: HostContract = {
  accepts: {
    SessionStart: ["context", "notice"],
    UserPromptSubmit: ["context", "notice"],
    PostToolUse: ["context", "notice"],
    PreCompact: ["instructions"],
    PostCompact: ["notice"],
    Stop: ["block", "notice"],
    SessionEnd: [],
  },
  contextIn: "hookSpecificOutput",
  // It accepts 10,000.
  room: usualRoom,
  // A person has left it. With "other" a script may go on with the session at once, and "clear" begins its next one.
  finalEnds: ["prompt_input_exit", "logout"],
  sessionVariable: "CLAUDE_CODE_SESSION_ID",
  processVariable: "CLAUDE_PID",
  projectVariable: "CLAUDE_PROJECT_DIR",
  versionIn: { variable: "AI_AGENT", pattern: /^claude-code_(\d[\w-]*)_/ },
  programs: ["claude", "@anthropic-ai/claude-code"],
  // Not CLAUDE_CODE_SSE_PORT: editors set it in the terminals of people.
  shellVariables: [/^CLAUDECODE$/, /^CLAUDE_CODE_(ENTRYPOINT|SESSION_ID)$/],
};
