import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { claudeSettings } from "../../../src/hosts/claude/settings.ts";
import { codexHooks } from "../../../src/hosts/codex/settings.ts";
import { cases } from "../../dose.ts";

function put(text: string | null, file = claudeSettings): string {
  const edited = file.putIn(text);
  if (!edited.ok) throw new Error(edited.problem.problem);
  return edited.text;
}

function take(text: string, original: string | null, file = claudeSettings): string | null {
  const edited = file.takeOut(text, original);
  if (!edited.ok) throw new Error(edited.problem.problem);
  return edited.text;
}

const own = `{
  // how I like it
  "model": "opus", /* for now */
  "hooks": {
    "Stop": [
      { "hooks": [{ "type": "command", "command": "./check.sh" }] } // keep this
    ],
    "PreToolUse": [{ "matcher": "Bash", "hooks": [{ "type": "command", "command": "./guard.sh" }] }]
  },
  "permissions": { "allow": ["Bash(ls:*)"] }
}
`;

const layouts: Readonly<Record<string, string>> = {
  "comments and hooks of the user's own": own,
  "an empty object": "{}",
  "an empty object on two lines": "{\n}\n",
  "one line": '{"model":"opus","hooks":{"Stop":[{"hooks":[{"type":"command","command":"x"}]}]}}',
  "one line with spaces and a line end": '{ "model": "opus", "hooks": { "Stop": [] } }\n',
  tabs: '{\n\t"model": "opus",\n\t"hooks": {\n\t\t"Stop": []\n\t}\n}\n',
  "four blanks and Windows line ends": '{\r\n    "model": "opus"\r\n}\r\n',
  "no line end at the end": '{\n  "model": "opus"\n}',
  "trailing commas": '{\n  "hooks": {\n    "Stop": [\n      { "hooks": [], },\n    ],\n  },\n}\n',
  "comments in places that are odd": '{ // a\n  "hooks": { // b\n    "Stop": [ // c\n    ] // d\n  } // e\n} // f\n',
  "empty hooks": '{\n  "hooks": {}\n}\n',
  "what looks like ours but is not":
    '{\n  "hooks": {\n    "Stop": [{ "hooks": [{ "type": "mcp_tool", "server": "other", "tool": "hook" }] }]\n  }\n}\n',
};

describe.each([claudeSettings, codexHooks])("$path", (file) => {
  it.each(Object.keys(layouts))("gets its hooks once and gives them back to the byte: %s", (name) => {
    const text = layouts[name] ?? "";
    const installed = put(text, file);
    expect(installed).not.toBe(text);
    expect(put(installed, file)).toBe(installed);
    expect(take(installed, text, file)).toBe(text === "{\n}\n" ? "{}\n" : text);
  });

  it("gives back whatever JSON someone has there, in whatever layout", () => {
    const events = fc.dictionary(
      fc.constantFrom("Stop", "PreToolUse"),
      fc.array(fc.object({ maxDepth: 2 }), { maxLength: 3 }),
    );
    const settings = fc.record({ model: fc.string(), hooks: events, more: fc.jsonValue() }, { requiredKeys: [] });
    const layout = fc.record({
      indent: fc.constantFrom(0, 1, 2, 4, "\t"),
      eol: fc.constantFrom("\n", "\r\n"),
      end: fc.constantFrom("", "\n"),
    });
    fc.assert(
      fc.property(settings, layout, (value, { indent, eol, end }) => {
        const text = (JSON.stringify(value, null, indent) + end).replaceAll("\n", eol);
        const installed = put(text, file);
        expect(put(installed, file)).toBe(installed);
        expect(take(installed, text, file)).toBe(text);
      }),
      cases({ quick: 4, long: 200, soak: 1_000 }),
    );
  });

  it.each([null, "", "\n"])("is made where there is none, and goes again (%j)", (text) => {
    const installed = put(text, file);
    expect(Object.keys(JSON.parse(installed).hooks)).toEqual([
      "SessionStart",
      "UserPromptSubmit",
      "PostToolUse",
      "PreCompact",
      "PostCompact",
      "Stop",
      "SessionEnd",
    ]);
    expect(installed.endsWith("}\n")).toBe(true);
    expect(take(installed, null, file)).toBeNull();
  });
});

describe("Claude Code's settings", () => {
  it("call the shim without a shell, and never the server; Copilot CLI, which reads them too, has a line of its own", () => {
    const { hooks } = JSON.parse(put(null));
    for (const [event, groups] of Object.entries(hooks)) {
      const matcher = event === "PostToolUse" ? { matcher: "Write|Edit|MultiEdit|NotebookEdit" } : {};
      const words = ["--host", "claude", "--via", "project", event];
      const args = [`\${CLAUDE_PROJECT_DIR}/.holdfast/hook.cjs`, ...words];
      const timeout = event === "SessionEnd" ? 5 : 10;
      const bash = `node .holdfast/hook.cjs --host copilot --via project ${event}`;
      expect(groups).toEqual([
        { ...matcher, hooks: [{ type: "command", command: "node", args, bash, powershell: bash, timeout }] },
      ]);
    }
  });

  it("lose the calls of the server that earlier versions wrote, when they are renewed and when they are removed", () => {
    const current = JSON.parse(put(null));
    const older = structuredClone(current);
    for (const event of ["UserPromptSubmit", "PostToolUse", "Stop"]) {
      const input = { event, session_id: `\${session_id}`, cwd: `\${cwd}`, via: "project", host: "claude" };
      older.hooks[event][0].hooks = [{ type: "mcp_tool", server: "holdfast", tool: "hook", input, timeout: 10 }];
    }
    for (const event of ["SessionStart", "PreCompact", "PostCompact", "SessionEnd"]) {
      older.hooks[event][0].hooks[0].args[0] = `\${CLAUDE_PROJECT_DIR}/.holdfast/hook.mjs`;
    }
    older.hooks.Stop.push({ hooks: [{ type: "mcp_tool", server: "other", tool: "hook", input: {} }] });
    const text = JSON.stringify(older, null, 2);
    const others = [{ hooks: [{ type: "mcp_tool", server: "other", tool: "hook", input: {} }] }];
    expect(JSON.parse(put(text)).hooks).toEqual({ ...current.hooks, Stop: [...current.hooks.Stop, ...others] });
    expect(JSON.parse(take(text, null) ?? "")).toEqual({ hooks: { Stop: others } });
  });

  it("keep what others wrote, where they wrote it", () => {
    const installed = put(own);
    expect(installed.startsWith(own.slice(0, own.indexOf(" // keep this")))).toBe(true);
    expect(installed).toContain("} }, // keep this\n".replace("} }", "}] }"));
    expect(installed).toContain(
      '"PreToolUse": [{ "matcher": "Bash", "hooks": [{ "type": "command", "command": "./guard.sh" }] }],\n',
    );
    expect(installed.endsWith('  "permissions": { "allow": ["Bash(ls:*)"] }\n}\n')).toBe(true);
  });

  it("lose only ours after someone has edited them", () => {
    const edited = put(own)
      .replace('"model": "opus"', '"model": "sonnet"')
      .replace('"hooks": {\n', '"hooks": {\n    "Notification": [{ "hooks": [] }],\n');
    expect(take(edited, own)).toBe(
      own
        .replace('"model": "opus"', '"model": "sonnet"')
        .replace('"hooks": {\n', '"hooks": {\n    "Notification": [{ "hooks": [] }],\n'),
    );
    expect(take(put(null).replace("{\n", '{\n  "model": "opus",\n'), null)).toBe('{\n  "model": "opus"\n}\n');
  });

  it("keep a hook that someone put beside ours", () => {
    const installed = JSON.parse(put(null));
    installed.hooks.Stop[0].hooks.push({ type: "command", command: "./mine.sh" });
    const shared = JSON.stringify(installed, null, 2);
    expect(put(shared)).toBe(shared);
    expect(JSON.parse(take(shared, null) ?? "")).toEqual({
      hooks: { Stop: [{ hooks: [{ type: "command", command: "./mine.sh" }] }] },
    });
  });

  it("bring older hooks of ours up to date in their place", () => {
    const current = JSON.parse(put(null));
    const older = structuredClone(current);
    older.hooks.SessionStart[0].hooks[0].args = [`\${CLAUDE_PROJECT_DIR}/.holdfast/hook.mjs`, "SessionStart"];
    older.hooks.SessionStart[0].matcher = "startup";
    older.hooks.Stop = [
      { hooks: [{ type: "command", command: "node .holdfast/hook.mjs Stop" }] },
      { hooks: [{ type: "command", command: "./mine.sh" }] },
      { hooks: [{ type: "mcp_tool", server: "holdfast", tool: "hook", input: {} }] },
    ];
    older.hooks.PreToolUse = [
      { hooks: [{ type: "command", command: "node", args: [".holdfast/hook.mjs", "PreToolUse"] }] },
    ];
    delete older.hooks.SessionEnd;
    const updated = JSON.parse(put(JSON.stringify(older, null, 2)));
    expect(updated.hooks).toEqual({
      ...current.hooks,
      Stop: [current.hooks.Stop[0], { hooks: [{ type: "command", command: "./mine.sh" }] }],
    });
    expect(Object.keys(updated.hooks).indexOf("SessionStart")).toBe(0);
  });

  it.each([
    ['{\n  "model": "opus"\n  "hooks": {}\n}', 3, 3, "comma expected"],
    ["[]", 1, 1, "it is not a JSON object"],
    ['"hooks"', 1, 1, "it is not a JSON object"],
    ['{\n  "hooks": []\n}', 2, 12, '"hooks" is not an object'],
    ['{ "hooks": { "Stop": {} } }', 1, 22, '"hooks.Stop" is not a list'],
    ['{\n  "hooks": {},\n  "hooks": {}\n}', 3, 3, 'the key "hooks" is used twice'],
    ["<<<<<<< HEAD\n{}", 1, 1, "invalid symbol"],
  ])("that cannot be read are left alone, and the place is named: %j", (text, line, column, problem) => {
    expect(claudeSettings.putIn(text)).toEqual({ ok: false, problem: { line, column, problem } });
    expect(claudeSettings.takeOut(text, null)).toEqual({ ok: false, problem: { line, column, problem } });
  });
});

describe("Codex's hooks", () => {
  it("are lines that find the shim from any folder, and end in time", () => {
    const { hooks } = JSON.parse(put(null, codexHooks));
    expect(hooks.Stop).toEqual([
      {
        hooks: [
          {
            type: "command",
            command:
              "node -e \"let d=process.cwd(),f;while(!fs.existsSync(f=d+'/.holdfast/hook.mjs')&&d!=(d=path.dirname(d)));" +
              'import(url.pathToFileURL(f)).catch(()=>0)" -- hook --host codex --via project Stop',
            commandWindows: "node .holdfast/hook.mjs --host codex --via project Stop",
            timeout: 10,
          },
        ],
      },
    ]);
    expect(hooks.SessionEnd[0].hooks[0].timeout).toBe(3);
    expect(hooks.PostToolUse[0].matcher).toBe("apply_patch");
  });
});
