import { spawn } from "node:child_process";
import { existsSync, mkdirSync, rmSync, symlinkSync } from "node:fs";
import { availableParallelism } from "node:os";
import { delimiter, join } from "node:path";
import { expect, it, onTestFinished } from "vitest";
import type { Project } from "../cli/program.ts";
import { claudeText } from "./claude-request.ts";
import { type ClaudeTerminalOptions, openClaudeTerminal } from "./claude-terminal.ts";
import { installedProject, type PlannedModel, startPlannedModel } from "./continuity.ts";

interface Situation {
  readonly project: Project;
  readonly model: PlannedModel;
  readonly more: Partial<ClaudeTerminalOptions>;
}

async function prepare(more: Partial<ClaudeTerminalOptions> = {}): Promise<Situation> {
  return { project: await installedProject("claude"), model: await startPlannedModel(), more };
}

/** Two turns with a written file in them, so that every hook of a turn runs, and what the person has seen at their end. */
async function converse({ project, model, more }: Situation, ...first: readonly string[]): Promise<string> {
  const input = { file_path: join(project.root, "rope.txt"), content: "red\n".repeat(20_000) };
  model.plan({ calls: [{ name: "Write", input }] }, { text: "The rope is red." }, { text: "The tide is out." });
  const words = ["--allowedTools=Write", ...first];
  const claude = await openClaudeTerminal({ project, model, rows: 50, ...more, words });
  if (first.length === 0) await claude.say("Paint the rope");
  await claude.waitFor(/The rope is red\./);
  await claude.say("How is the tide?");
  await claude.waitFor(/The tide is out\./);
  // While the last hook runs, Claude Code says so below the answer.
  await claude.waitFor(/^(?!.*running \w+ hook).*The tide is out\./s);
  return claude.history();
}

/** No line about a hook or the server before the person, and not a word about them in what the model is asked. */
function expectQuiet(history: string, { project, model }: Situation): void {
  const lines = history.split("\n").filter((line) => !line.includes(project.root));
  expect(lines.filter((line) => /hook|holdfast|MCP server/i.test(line))).toEqual([]);
  const asked = model.requests.map(claudeText).join("\n");
  expect(asked.match(/.{0,80}hook (success|error|blocking|additional).{0,80}/gi)).toBeNull();
  expect(asked).toContain("How is the tide?");
}

it("says nothing to a person who has declined the server", async () => {
  const situation = await prepare({ servers: "declined" });
  expectQuiet(await converse(situation), situation);
});

it("says nothing to a person who starts with a prompt, before the server is connected", async () => {
  const situation = await prepare();
  expectQuiet(await converse(situation, "Paint the rope"), situation);
});

it("says nothing to a teammate who has no Holdfast", async () => {
  const situation = await prepare();
  const { project } = situation;
  rmSync(join(project.root, "node_modules"), { recursive: true });
  const bin = join(project.home, "bin");
  mkdirSync(bin);
  symlinkSync(process.execPath, join(bin, "node"));
  const folders = String(project.env.PATH).split(delimiter);
  const PATH = [bin, ...folders.filter((folder) => !existsSync(join(folder, "holdfast")))].join(delimiter);
  expectQuiet(await converse({ ...situation, more: { env: { PATH } } }), situation);
});

it("says nothing on a machine that is busy with other things", async () => {
  // Many at once, of which each gets as much of the processor as Claude Code and its hooks.
  const others = Array.from({ length: 6 * availableParallelism() }, () => spawn(process.execPath, ["-e", "for(;;);"]));
  onTestFinished(() => {
    for (const other of others) other.kill("SIGKILL");
  });
  const situation = await prepare();
  expectQuiet(await converse(situation), situation);
});

it("with a live run, hooks that have nothing to say leave no trace", async () => {
  const situation = await prepare();
  const { project } = situation;
  await project.json(["start", "feature", "--trust"], { env: { HOLDFAST_SESSION: "another" } });
  const history = await converse(situation);
  expect(history.split("\n").filter((line) => /hook (error|success)|not connected/i.test(line))).toEqual([]);
  const asked = situation.model.requests.map(claudeText).join("\n");
  expect(asked.match(/.{0,80}hook (success|error|blocking).{0,80}/gi)).toBeNull();
});
