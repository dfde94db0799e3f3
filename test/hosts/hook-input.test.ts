import { expect, it } from "vitest";
import { parseHookInput } from "../../src/hosts/hook-input.ts";

const silent = {
  session: null,
  agent: null,
  cwd: null,
  transcript: null,
  prompt: null,
  source: null,
  trigger: null,
  reason: null,
  summaryLength: null,
  stopActive: false,
  paths: [],
};

it("Claude Code's session start is read", () => {
  const text = JSON.stringify({
    session_id: "s1",
    transcript_path: "/home/a/.claude/projects/p/s1.jsonl",
    cwd: "/work",
    hook_event_name: "SessionStart",
    source: "compact",
    model: "claude-sonnet-4-5",
  });
  expect(parseHookInput("claude", "SessionStart", text)).toEqual({
    ...silent,
    host: "claude",
    name: "SessionStart",
    session: "s1",
    cwd: "/work",
    transcript: "/home/a/.claude/projects/p/s1.jsonl",
    source: "compact",
  });
});

it("a compaction is read with what began it and how long its summary is", () => {
  const before = '{"trigger":"manual","custom_instructions":"keep X","prompt_id":"p1"}';
  expect(parseHookInput("claude", "PreCompact", before)).toMatchObject({ trigger: "manual", prompt: "p1" });
  const after = '{"trigger":"auto","compact_summary":"The rope is red."}';
  expect(parseHookInput("claude", "PostCompact", after)).toMatchObject({ trigger: "auto", summaryLength: 16 });
});

it("the event that was registered wins over the one that the host names", () => {
  const text = '{"hook_event_name":"Stop"}';
  expect(parseHookInput("claude", "SessionEnd", text)?.name).toBe("SessionEnd");
  expect(parseHookInput("claude", null, text)?.name).toBe("Stop");
  expect(parseHookInput("claude", "PreToolUse", text)?.name).toBe("Stop");
  expect(parseHookInput("claude", null, '{"event":"PreCompact"}')?.name).toBe("PreCompact");
});

it("an event that nobody names is none", () => {
  expect(parseHookInput("claude", null, "{}")).toBeNull();
  expect(parseHookInput("claude", "PreToolUse", '{"hook_event_name":"constructor"}')).toBeNull();
});

it.each([
  ["nothing", ""],
  ["half a text", '{"session_id": "s'],
  ["a list", '["SessionStart"]'],
  ["null", "null"],
  ["wrong types", '{"session_id":1,"cwd":{},"source":["compact"],"compact_summary":5,"stop_hook_active":1}'],
  ["empty texts", '{"session_id":"","cwd":"","source":""}'],
  ["unfilled placeholders", `{"session_id":"\${session_id}","cwd":"\${tool_input.file_path}"}`],
  ["a proto", '{"__proto__":{"session_id":"x"}}'],
  ["too much", `{"session_id":"${"x".repeat(32_000_000)}"}`],
])("%s still is the event", (_what, text) => {
  expect(parseHookInput("codex", "SessionStart", text)).toEqual({ ...silent, host: "codex", name: "SessionStart" });
});

it("the texts of an mcp_tool hook are read like the fields of a command hook", () => {
  const text = JSON.stringify({
    event: "PostToolUse",
    session_id: "s1",
    cwd: "/work",
    transcript_path: "",
    prompt_id: "p1",
    stop_hook_active: "true",
    file_path: "/project/a.ts",
    notebook_path: "",
    via: "project",
    host: "claude",
  });
  expect(parseHookInput("claude", null, text)).toEqual({
    ...silent,
    host: "claude",
    name: "PostToolUse",
    session: "s1",
    cwd: "/work",
    prompt: "p1",
    stopActive: true,
    paths: ["/project/a.ts"],
  });
  expect(parseHookInput("claude", "Stop", '{"stop_hook_active":"false"}')?.stopActive).toBe(false);
  expect(parseHookInput("claude", "Stop", '{"stop_hook_active":true}')?.stopActive).toBe(true);
});

it("a written file is named once, whatever the tool calls it", () => {
  const written = (tool_input: unknown) =>
    parseHookInput("claude", "PostToolUse", JSON.stringify({ tool_name: "Edit", tool_input }))?.paths;
  expect(written({ file_path: "/project/a.ts", content: "x" })).toEqual(["/project/a.ts"]);
  expect(written({ notebook_path: "/project/a.ipynb" })).toEqual(["/project/a.ipynb"]);
  expect(written({ file_path: "/project/a\0b" })).toEqual([]);
  expect(written({ file_path: 7 })).toEqual([]);
  expect(written(null)).toEqual([]);
  expect(parseHookInput("claude", "Stop", '{"tool_input":{"file_path":"/project/a.ts"}}')?.paths).toEqual([]);
});

const patch = `*** Begin Patch
*** Add File: docs/new.md
+*** Update File: not/a/header.md
*** Update File: src/a.ts
*** Move to: src/b.ts
@@
-old
+new
*** Update File: src/c.ts
*** Delete File: src/d.ts
*** End Patch`;

it.each([
  ["command", { command: patch }],
  ["input", { input: patch.replaceAll("\n", "\r\n") }],
  ["a list of words", { command: ["bash", "-lc", `apply_patch <<'EOF'\n${patch}\nEOF`] }],
  ["the input itself", patch],
])("Codex's patch names the files it writes, found in %s", (_where, tool_input) => {
  const text = JSON.stringify({ session_id: "s1", turn_id: "t1", tool_name: "apply_patch", tool_input });
  expect(parseHookInput("codex", "PostToolUse", text)).toEqual({
    ...silent,
    host: "codex",
    name: "PostToolUse",
    session: "s1",
    prompt: "t1",
    paths: ["docs/new.md", "src/b.ts", "src/c.ts"],
  });
});

it("what is no patch names no files", () => {
  const text = JSON.stringify({ tool_input: { command: "grep '*** Add File: x' notes.md" } });
  expect(parseHookInput("codex", "PostToolUse", text)?.paths).toEqual([]);
});
