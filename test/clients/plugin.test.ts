import { execFile } from "node:child_process";
import { cpSync, mkdirSync, symlinkSync } from "node:fs";
import { join, resolve } from "node:path";
import { promisify } from "node:util";
import { expect, it } from "vitest";
import { createProject, type Project, program } from "../cli/program.ts";
import { openClaude, runClaude } from "./claude.ts";
import { startClaudeModel } from "./claude-model.ts";
import { claudeText, claudeToolNames, claudeToolResults, isCompaction } from "./claude-request.ts";
import { claudeProgram } from "./programs.ts";
import { installStandIn } from "./stand-in.ts";

/** Away from this repository, whose own build would be found else. */
function copyPlugin(project: Project): string {
  const folder = join(project.home, "plugins/holdfast");
  cpSync("plugin", folder, { recursive: true });
  return folder;
}

it.each(["plugin", "."])("Claude Code finds nothing wrong with %s", async (folder) => {
  const { env } = createProject();
  const words = ["plugin", "validate", resolve(folder)];
  const { stdout } = await promisify(execFile)(await claudeProgram(), words, { env });
  expect(stdout).toContain("Validation passed\n");
});

it("the plugin brings the user's own Holdfast, its tools and its commands", async () => {
  const project = createProject();
  const bin = join(project.home, "bin");
  mkdirSync(bin);
  symlinkSync(program, join(bin, "holdfast"));
  const model = await startClaudeModel(() => ({ text: "Noted." }));
  const env = { PATH: `${bin}:${project.env.PATH}` };
  const { events } = await runClaude("Hello", { project, model, pluginDir: copyPlugin(project), env });
  expect(model.requests.flatMap(claudeToolNames)).toEqual(
    expect.arrayContaining(["mcp__plugin_holdfast_holdfast__workflow_start"]),
  );
  expect(events).toContainEqual(
    expect.objectContaining({
      subtype: "init",
      mcp_servers: [{ name: "plugin:holdfast:holdfast", status: "connected" }],
      slash_commands: expect.arrayContaining(["holdfast:start", "holdfast:status", "holdfast:advance"]),
      skills: expect.arrayContaining(["holdfast:follow-a-workflow"]),
    }),
  );
});

it("every hook of the plugin arrives, and says that it came from the plugin", async () => {
  const project = createProject();
  const { calls } = installStandIn(project, "../home/plugins/node_modules/holdfast");
  const model = await startClaudeModel((request) => {
    if (isCompaction(request)) return { text: "<summary>The rope is red.</summary>" };
    if (claudeToolResults(request).length > 0) return { text: "Noted." };
    const input = { file_path: join(project.root, "rope.txt"), content: "red" };
    return { calls: [{ name: "Write", input }] };
  });
  const session = await openClaude({ project, model, pluginDir: copyPlugin(project), allowedTools: ["Write"] });
  for (const text of ["Paint the rope", "And now?", "/compact"]) await session.prompt(text);
  await session.close();
  const events = ["SessionStart", "UserPromptSubmit", "PostToolUse", "Stop", "PreCompact", "PostCompact", "SessionEnd"];
  expect(new Set(calls().map(({ words }) => words?.join(" ")))).toEqual(
    new Set(events.map((event) => `--host claude --via plugin ${event}`)),
  );
  expect(calls().find(({ input }) => input.hook_event_name === "PostToolUse")?.input).toMatchObject({
    session_id: expect.stringMatching(/^[0-9a-f-]{36}$/),
    cwd: project.root,
    transcript_path: expect.stringMatching(/\.jsonl$/),
    tool_input: { file_path: join(project.root, "rope.txt") },
  });
  expect(model.requests.map(claudeText)[0]).toContain("The tide is out");
});
