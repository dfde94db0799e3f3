import { execFileSync } from "node:child_process";
import { chmodSync, mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { userInfo } from "node:os";
import { dirname, join } from "node:path";
import { expect, test } from "vitest";
import { createProject, type Project, program } from "../cli/program.ts";
import { type ClaudeTerminal, openClaudeTerminal } from "./claude-terminal.ts";
import { call, startPlannedModel } from "./continuity.ts";
import { openTerminal, type Terminal } from "./terminal.ts";

const introduction = `# The first five minutes

What a person sees in a terminal of 80 columns: setting up a project, starting a workflow in Claude Code, looking after it, approving
a step, and a compaction. Everything is real but the model, which follows a script. A test makes this page and fails when it no
longer holds (\`test/clients/first-minutes.test.ts\`). Lines that Claude Code draws around the conversation are left out.

It starts after \`npm install --global\`, in a git repository (see the [README](../README.md)).
`;

const columns = 80;

test("the first five minutes fit 80 columns and say at every point what is next", async () => {
  const project = installedForUser();
  const model = await startPlannedModel();
  const page = createPage(project);
  const shell = await openShell(project);

  await shell.type("holdfast init");
  await shell.press("Enter");
  for (const question of [/Which agents/, /What else/, /Go ahead/]) {
    await shell.waitFor(question);
    await shell.press("Enter");
  }
  await shell.waitFor(/Next[\s\S]*\n%$/);
  page.add("Set up the project", "Press Enter three times to take what is suggested.", await shell.history());

  page.add("Nothing is live yet", "`holdfast` alone says what to do.", await shell.run("holdfast"));

  model.plan(
    call("workflow_start", { workflow: "feature", request: "Add a dark mode" }),
    call("workflow_advance", { output: "Criteria: follows the system; light stays the default." }),
    {
      calls: [
        {
          name: "Write",
          input: { file_path: join(project.root, "docs/plan.md"), content: "1. Colours\n2. The switch\n" },
        },
      ],
    },
    call("workflow_advance", { output: "The plan is in docs/plan.md: two tasks." }),
    call("workflow_advance", { output: "No findings.", outcome: "approved" }),
    call("workflow_advance", { output: "Shown: two tasks, no new dependency." }),
    { text: "The plan is in docs/plan.md: colours first, then the switch. Please approve it." },
  );
  const claude = await openClaudeTerminal({ project, model, rows: 60, words: ["--permission-mode", "acceptEdits"] });
  await claude.say("Start the feature workflow");
  const asked = await claude.waitFor(/Accept\s+Decline/);
  const form = asked.slice(asked.indexOf("  MCP server"));
  await claude.pressUntil("Escape", /says: Holdfast: [\s\S]*waiting for approval/);
  page.add("Start a workflow in Claude Code", "The last line is the status line.", await conversation(claude));
  page.add(
    "Claude Code asks for the approval",
    "This form was left with Escape, so the run waits for an answer.",
    form,
  );

  page.add("What waits for you", "In a second terminal:", await shell.run("holdfast"));
  page.add("Where the run stands", "", await shell.run("holdfast status"));
  page.add("Approve the plan", "", await shell.run("holdfast approve --reason 'Keep the switch on the first page'"));

  const tasks = [
    { id: "t1", title: "Colours as variables" },
    { id: "t2", title: "The switch" },
  ];
  model.plan(
    call("workflow_status"),
    call("workflow_advance", { output: "Shown: two tasks, no new dependency." }),
    call("workflow_set_tasks", { loop_id: "build", tasks }),
    { text: "The plan is approved. Please type /compact, then say: go on." },
  );
  await claude.say("I have approved it");
  await claude.waitFor(/Please type \/compact, then[\s\S]*waits for \/compact\n/);
  await claude.say("/compact");
  await claude.waitFor(/SessionStart:compact says/);
  model.plan(call("workflow_status"), { text: "I go on with the first task: colours as variables." });
  await claude.say("go on");
  await claude.waitFor(/colours as variables\.\s+✻ [^\n]* done [\s\S]*task 1\/2\n/);
  page.add(
    "Go on, over a compaction",
    "Claude Code shows what each hook of a compaction printed; then one line says where the agent goes on.",
    afterPrompt(await conversation(claude), "I have approved it"),
  );
  page.add("See what happened", "", await shell.run("holdfast status"));

  const { runId } = (await project.json(["runs"])).value.runs[0];
  const text = page.text(runId);
  expect(text.split("\n").filter((line, index, all) => isShown(all, index) && line.length > columns)).toEqual([]);
  await expect(text).toMatchFileSnapshot("../../docs/first-minutes.md");
});

/** A git repository with a file in it, and Holdfast on the PATH. */
function installedForUser(): Project {
  const project = createProject();
  const bin = join(project.home, "bin");
  mkdirSync(bin);
  mkdirSync(join(project.home, ".claude"));
  symlinkSync(program, join(bin, "holdfast"));
  chmodSync(program, 0o755);
  writeFileSync(join(bin, "node"), `#!/bin/sh\nexec '${process.execPath}' "$@"\n`, { mode: 0o755 });
  project.write("README.md", "# A project\n");
  execFileSync("git", ["init", "--quiet"], { cwd: project.root });
  return { ...project, env: { ...project.env, PATH: `${bin}:${project.env.PATH}` } };
}

interface Shell extends Terminal {
  /** Runs a command on an empty screen, and returns what is shown then. */
  run(command: string): Promise<string>;
}

async function openShell(project: Project): Promise<Shell> {
  const command = ["bash", "--norc", "--noprofile"];
  const terminal = await openTerminal({
    columns,
    rows: 60,
    cwd: project.root,
    env: { ...project.env, NO_COLOR: "1", PS1: "% " },
    command,
  });
  await terminal.waitFor(/^%/);
  return {
    ...terminal,
    async run(line) {
      await terminal.press("C-l");
      await terminal.waitFor(/^%$/);
      await terminal.type(line);
      await terminal.press("Enter");
      return terminal.waitFor(/\n%$/);
    },
  };
}

/** What Claude Code shows of the conversation, and the status line. */
async function conversation(claude: ClaudeTerminal): Promise<string> {
  const lines = (await claude.screen()).split("\n");
  const first = lines.findIndex((line) => line.startsWith("❯"));
  const frame = /^(─+|❯|\s*◐ .*|[·✢✳✶✻✽] .*| +⏵⏵.*| +tmux detected .*| +⎿ +Tip: .*)$/;
  return lines
    .slice(first)
    .filter((line) => !frame.test(line.trimEnd()))
    .join("\n");
}

function afterPrompt(shown: string, prompt: string): string {
  return shown.slice(shown.indexOf(`❯ ${prompt}`));
}

function isShown(lines: readonly string[], index: number): boolean {
  return lines.slice(0, index).filter((line) => line.startsWith("```")).length % 2 === 1;
}

function createPage(project: Project) {
  const parts = [introduction];
  return {
    add(title: string, about: string, shown: string) {
      const text = shown.replace(/\n%$/, "").replace(/\n{3,}/g, "\n\n");
      parts.push(`## ${title}\n${about === "" ? "" : `\n${about}\n`}\n\`\`\`text\n${text.trim()}\n\`\`\`\n`);
    },
    /** With names in place of what differs from run to run. */
    text: (runId: string) =>
      parts
        .join("\n")
        .replaceAll(/ in\n│ {2}(?=\/)/g, " in ")
        .replaceAll(project.root, "/project")
        .replaceAll(dirname(project.root), "/home")
        .replaceAll(runId, "feature-20261115_120000-k3f9")
        .replace(/\d{4}-\d\d-\d\d \d\d:\d\d/g, "2026-11-15 12:00")
        .replace(/^(feature · .*?) +(running|waiting) · .*$/gm, (_line, left: string, status: string) => {
          const right = `${status} · 2 min`;
          return left + right.padStart(columns - left.length);
        })
        // How far the transcript and the status line have come at this moment depends on the machine.
        .replace(/(Used: \d+ turns?), .*$/gm, "$1, 12,120 tokens, $$0.05")
        .replaceAll(`approved by ${userInfo().username}`, "approved by sam")
        .replace(/[ \t]+$/gm, ""),
  };
}
