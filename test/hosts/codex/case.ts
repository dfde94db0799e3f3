import type { HostCase } from "../host-case.ts";

const context = (event: string) =>
  `{"hookSpecificOutput":{"hookEventName":"${event}","additionalContext":"The tide is out"},"systemMessage":"Restored"}`;
const common = { session_id: "s1", cwd: "/project" };
const read = { session: "s1", cwd: "/project" };
const patch =
  "*** Begin Patch\n*** Update File: src/a.ts\n*** Move to: src/b.ts\n*** Delete File: src/c.ts\n*** End Patch";

export const codexCase: HostCase = {
  inputs: [
    {
      event: "SessionStart",
      input: { ...common, hook_event_name: "SessionStart", source: "resume" },
      reads: { ...read, source: "resume" },
    },
    {
      event: "PostToolUse",
      input: { ...common, turn_id: "t1", tool_name: "apply_patch", tool_input: { command: patch } },
      reads: { ...read, prompt: "t1", paths: ["src/b.ts"] },
    },
    {
      event: "PreCompact",
      input: { ...common, hook_event_name: "PreCompact", trigger: "auto" },
      reads: { ...read, trigger: "auto" },
    },
  ],
  outputs: {
    SessionStart: context("SessionStart"),
    UserPromptSubmit: context("UserPromptSubmit"),
    PostToolUse: context("PostToolUse"),
    PreCompact: '{"systemMessage":"Restored"}',
    PostCompact: '{"systemMessage":"Restored"}',
    Stop: '{"decision":"block","reason":"Not yet","systemMessage":"Restored"}',
    SessionEnd: "",
  },
  rejected: [
    ["PreCompact", "Keep the knot", "it takes JSON, not plain text"],
    ["SessionStart", '{"more":1}', "it has the unknown field more"],
    ["Stop", '{"hookSpecificOutput":{"hookEventName":"Stop"}}', "Stop takes no hookSpecificOutput"],
  ],
  shell: ["CODEX_SANDBOX", "CODEX_THREAD_ID"],
  settings: {
    ".codex/hooks.json": ['{"hooks":{"Stop":[{"hooks":[{"type":"command","command":"./check.sh"}]}]}}'],
    ".codex/config.toml": ['model = "o5" # mine\n\n[mcp_servers.db]\ncommand = "db"\n'],
  },
};
