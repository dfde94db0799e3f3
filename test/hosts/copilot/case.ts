import type { HostCase } from "../host-case.ts";

const context = '{"additionalContext":"The tide is out"}';
const common = { session_id: "s1", timestamp: "2026-11-15T23:13:22.013Z", cwd: "/project" };
const read = { session: "s1", cwd: "/project" };
const transcript_path = "/home/a/.copilot/session-state/s1/events.jsonl";

export const copilotCase: HostCase = {
  inputs: [
    {
      event: "SessionStart",
      input: { hook_event_name: "SessionStart", ...common, source: "new", initial_prompt: "Tie a knot" },
      reads: { ...read, source: "new", agent: null },
    },
    {
      event: "UserPromptSubmit",
      input: { ...common, agent_id: "a1", agent_type: "task", parent_agent_id: "s0", prompt: "Tie a knot" },
      reads: { ...read, agent: "a1" },
    },
    {
      event: "PostToolUse",
      input: { ...common, tool_name: "Write", tool_input: { path: "/project/a.ts", file_text: "" }, tool_result: {} },
      reads: { ...read, paths: ["/project/a.ts"] },
    },
    {
      event: "PostToolUse",
      input: { ...common, tool_name: "Read", tool_input: { path: "/project/a.ts" }, tool_result: {} },
      reads: { ...read, paths: [] },
    },
    {
      event: "PreCompact",
      input: { ...common, transcript_path, trigger: "auto", custom_instructions: "" },
      reads: { ...read, transcript: transcript_path, trigger: "auto" },
    },
    {
      event: "Stop",
      input: { ...common, transcript_path, stop_reason: "end_turn", stop_hook_active: true },
      reads: { ...read, stopActive: true },
    },
    { event: "SessionEnd", input: { ...common, reason: "complete" }, reads: { ...read, reason: "complete" } },
  ],
  outputs: {
    SessionStart: context,
    UserPromptSubmit: context,
    PostToolUse: context,
    PreCompact: "",
    PostCompact: "",
    Stop: '{"decision":"block","reason":"Not yet"}',
    SessionEnd: "",
  },
  rejected: [
    ["PreCompact", context, "PreCompact takes no additionalContext"],
    ["PreCompact", "Keep the knot", "it takes JSON, not plain text"],
    [
      "SessionStart",
      '{"hookSpecificOutput":{"hookEventName":"SessionStart","additionalContext":"x"}}',
      "it has the unknown field hookSpecificOutput",
    ],
    ["SessionStart", '{"additionalContext":7}', "additionalContext is not text"],
    ["Stop", '{"systemMessage":"Restored"}', "Stop takes no systemMessage"],
  ],
  shell: ["COPILOT_CLI", "COPILOT_AGENT_SESSION_ID"],
  settings: {
    ".github/hooks/holdfast.json": [
      '{"version":1,"hooks":{"Stop":[{"hooks":[{"type":"command","command":"./check.sh"}]}]}}',
      '{\n  "version": 1,\n  "hooks": { "sessionStart": [{ "type": "command", "bash": "./greet.sh" }] }\n}\n',
    ],
    ".mcp.json": ['{"mcpServers":{"db":{"command":"db"}}}'],
  },
};
