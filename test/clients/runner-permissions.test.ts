import { existsSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import type { ClaudeScript } from "./claude-answers.ts";
import { claudeToolResults } from "./claude-request.ts";
import { advance, createDriven } from "./driven-claude.ts";
import { claudeVersions } from "./programs.ts";

describe.each([claudeVersions.newest, claudeVersions.pinned])("Claude Code %s", (version) => {
  const asksForLess = "permissions: read, ";
  test.each<[string, string, readonly string[], readonly string[]]>([
    ["--permissions read", "", ["--permissions=read"], []],
    ["a workflow that asks for less", asksForLess, [], []],
    ["a workflow that asks for less than --permissions full", asksForLess, ["--permissions=full"], []],
    // Without it, the other cases would prove nothing. Claude Code takes this command for an edit.
    ["the usual permissions", "", [], ["written", "touched"]],
  ])(
    "can write what it may with %s, and a rule of the person opens no way around",
    async (_, hint, words, expected) => {
      const driven = await createDriven(
        `steps: [{ id: build, type: action, ${hint}instructions: Build it }]`,
        (request) => script(request),
        version,
      );
      const written = join(driven.root, "written");
      const touched = join(driven.root, "touched");
      const calls = [
        { name: "Write", input: { file_path: written, content: "x" } },
        { name: "Bash", input: { command: `touch ${touched}`, description: "x" } },
      ];
      const script: ClaudeScript = (request) => {
        const results = claudeToolResults(request).length;
        const call = calls[results];
        if (call !== undefined) return { calls: [call] };
        return results === calls.length ? advance({ output: "It is done" }) : { text: "Ended." };
      };
      const rules = expected.length === 0 ? ["Bash(touch:*)", "Write"] : [];
      driven.write("../home/.claude/settings.json", JSON.stringify({ permissions: { allow: rules } }));
      const { code, stdout } = await driven.run(words);
      expect({ code, stdout: code === 0 ? "" : stdout }).toEqual({ code: 0, stdout: "" });
      expect(driven.model.requests.at(-1)?.messages.length).toBeGreaterThan(2 * calls.length);
      expect(["written", "touched"].filter((name) => existsSync(join(driven.root, name)))).toEqual(expected);
    },
  );
});
