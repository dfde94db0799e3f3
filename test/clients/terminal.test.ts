import { expect, it } from "vitest";
import { createProject } from "../cli/program.ts";
import { openClaudeTerminal } from "./claude-terminal.ts";
import { installedProject, startPlannedModel } from "./continuity.ts";
import { openTerminal } from "./terminal.ts";

it("a terminal shows what is on the screen, takes keys, and tells how its program ended", async () => {
  const { root, env } = createProject();
  const script = "printf 'gone\\033[2K\\rname? '; read name; printf '\\033[31mhello %s\\033[0m\\n' \"$name\"; exit 3";
  const terminal = await openTerminal({ columns: 40, rows: 5, cwd: root, env, command: ["sh", "-c", script] });
  await terminal.waitFor(/name\?/);
  await terminal.type("C-c 'n' $x;");
  await terminal.press("Enter");
  expect(await terminal.waitFor(/hello/)).toBe("name? C-c 'n' $x;\nhello C-c 'n' $x;");
  expect(await terminal.ended()).toBe(3);
  await expect(terminal.waitFor(/never/)).rejects.toThrow("hello C-c 'n' $x;");
});

it("the real Claude Code takes a prompt in a terminal and shows the answer", async () => {
  const project = await installedProject("claude");
  const model = await startPlannedModel();
  model.plan({ text: "The tide is out." });
  const claude = await openClaudeTerminal({ project, model });
  await claude.say("How is the tide?");
  expect(await claude.waitFor(/The tide is out\./)).toContain("❯ How is the tide?");
});
