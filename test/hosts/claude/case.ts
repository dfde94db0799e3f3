import type { HostCase } from "../host-case.ts";

const context = (event: string) =>
  `{"hookSpecificOutput":{"hookEventName":"${event}","additionalContext":"The tide is out"},"systemMessage":"Restored"}`;
const common = { session_id: "s1", transcript_path: "/home/a/.claude/projects/p/s1.jsonl", cwd: "/project" };
const read = { session: "s1", transcript: "/home/a/.claude/projects/p/s1.jsonl", cwd: "/project" };

export const claudeCase: HostCase = {
  inputs: [
    {
      event: "SessionStart",
      input: { ...common, hook_event_name: "SessionStart", source: "compact", model: "claude-sonnet-4-5" },
      reads: { ...read, source: "compact" },
    },
    {
      event: "UserPromptSubmit",
      input: { ...common, hook_event_name: "UserPromptSubmit", prompt_id: "p1", prompt: "Go on" },
      reads: { ...read, prompt: "p1" },
    },
    {
      event: "PostToolUse",
      input: {
        ...common,
        hook_event_name: "PostToolUse",
        tool_name: "Write",
        tool_input: { file_path: "/project/a.ts" },
      },
      reads: { ...read, paths: ["/project/a.ts"] },
    },
    {
      event: "PreCompact",
      input: { ...common, hook_event_name: "PreCompact", trigger: "manual", custom_instructions: "keep X" },
      reads: { ...read, trigger: "manual" },
    },
    {
      event: "PostCompact",
      input: { ...common, hook_event_name: "PostCompact", trigger: "auto", compact_summary: "The rope is red." },
      reads: { ...read, trigger: "auto", summaryLength: 16 },
    },
    {
      event: "Stop",
      input: { ...common, hook_event_name: "Stop", stop_hook_active: true, agent_id: "a1" },
      reads: { ...read, stopActive: true, agent: "a1" },
    },
    {
      event: "SessionEnd",
      input: { ...common, hook_event_name: "SessionEnd", reason: "clear" },
      reads: { ...read, reason: "clear" },
    },
  ],
  outputs: {
    SessionStart: context("SessionStart"),
    UserPromptSubmit: context("UserPromptSubmit"),
    PostToolUse: context("PostToolUse"),
    PreCompact: "Keep the knot",
    PostCompact: '{"systemMessage":"Restored"}',
    Stop: '{"decision":"block","reason":"Not yet","systemMessage":"Restored"}',
    SessionEnd: "",
  },
  rejected: [
    ["SessionStart", "plain words", "it takes JSON, not plain text"],
    ["SessionStart", "{", "it is not a JSON object"],
    ["SessionStart", '{"additionalContext":"x"}', "it has the unknown field additionalContext"],
    ["SessionStart", '{"hookSpecificOutput":1}', "hookSpecificOutput is not an object"],
    ["SessionStart", '{"hookSpecificOutput":{"hookEventName":"Stop"}}', "hookEventName is not SessionStart"],
    [
      "SessionStart",
      '{"hookSpecificOutput":{"hookEventName":"SessionStart","more":1}}',
      "hookSpecificOutput has the unknown field more",
    ],
    ["SessionStart", '{"decision":"block","reason":"x"}', "SessionStart cannot block"],
    ["SessionStart", '{"systemMessage":7}', "systemMessage is not text"],
    ["SessionStart", `{"systemMessage":"${"x".repeat(10_001)}"}`, "systemMessage has more than 10000 characters"],
    ["PreCompact", '{"systemMessage":"x"}', "it takes plain text, not JSON"],
    ["PreCompact", "x".repeat(10_001), "the text has more than 10000 characters"],
    ["PostCompact", '{"hookSpecificOutput":{}}', "PostCompact takes no hookSpecificOutput"],
    ["Stop", '{"decision":"approve","reason":"x"}', 'a block has decision "block" and a reason'],
    ["Stop", '{"decision":"block"}', 'a block has decision "block" and a reason'],
    ["SessionEnd", '{"systemMessage":"x"}', "SessionEnd takes no systemMessage"],
    ["PreToolUse", "{}", "PreToolUse is not an event that Holdfast handles"],
  ],
  shell: ["CLAUDECODE", "CLAUDE_CODE_ENTRYPOINT", "CLAUDE_CODE_SESSION_ID"],
  settings: {
    ".claude/settings.json": [
      '{"model":"opus","hooks":{"Stop":[{"hooks":[{"type":"command","command":"./check.sh"}]}]}}',
      '{\n\t// mine\n\t"permissions": { "allow": ["Bash(ls:*)"] }\n}\n',
    ],
    ".mcp.json": ['{"mcpServers":{"db":{"command":"db"}}}', "{}"],
  },
};
