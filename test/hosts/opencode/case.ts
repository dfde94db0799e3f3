import type { HostCase } from "../host-case.ts";

const common = { session_id: "ses_1", cwd: "/project" };
const read = { session: "ses_1", cwd: "/project" };
const patch = "*** Begin Patch\n*** Add File: docs/new.md\n+*** Text\n*** End Patch";

export const opencodeCase: HostCase = {
  inputs: [
    {
      event: "SessionStart",
      input: { ...common, hook_event_name: "SessionStart", source: "resume" },
      reads: { ...read, source: "resume" },
    },
    {
      event: "PreCompact",
      input: { ...common, hook_event_name: "PreCompact", trigger: "manual" },
      reads: { ...read, trigger: "manual" },
    },
    {
      event: "PostToolUse",
      input: { ...common, hook_event_name: "PostToolUse", tool_input: { file_path: "/project/a.ts" } },
      reads: { ...read, paths: ["/project/a.ts"] },
    },
    {
      event: "PostToolUse",
      input: { ...common, hook_event_name: "PostToolUse", tool_input: { patch } },
      reads: { ...read, paths: ["docs/new.md"] },
    },
    {
      event: "Stop",
      input: { ...common, hook_event_name: "Stop", stop_hook_active: true },
      reads: { ...read, stopActive: true },
    },
  ],
  outputs: {
    SessionStart: '{"additionalContext":"The tide is out","systemMessage":"Restored"}',
    UserPromptSubmit: "",
    PostToolUse: "",
    PreCompact: "Keep the knot",
    PostCompact: '{"systemMessage":"Restored"}',
    Stop: '{"decision":"block","reason":"Not yet","systemMessage":"Restored"}',
    SessionEnd: "",
  },
  rejected: [
    ["SessionStart", '{"hookSpecificOutput":{}}', "it has the unknown field hookSpecificOutput"],
    ["UserPromptSubmit", '{"additionalContext":"x"}', "UserPromptSubmit takes no additionalContext"],
    ["PreCompact", '{"systemMessage":"x"}', "it takes plain text, not JSON"],
  ],
  shell: ["OPENCODE", "OPENCODE_PID"],
  settings: {
    "opencode.json": [
      '{"model":"x/y","mcp":{"db":{"type":"local","command":["db"]}}}',
      '{\n  "$schema": "https://opencode.ai/config.json",\n  // mine\n  "mcp": {},\n}\n',
      "{}",
    ],
  },
};
