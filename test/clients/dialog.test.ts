import { setTimeout as pause } from "node:timers/promises";
import { describe, expect, it } from "vitest";
import type { Project } from "../cli/program.ts";
import { runClaude } from "./claude.ts";
import { claudeText } from "./claude-request.ts";
import { type ClaudeTerminal, openClaudeTerminal } from "./claude-terminal.ts";
import { call, installedProject, type PlannedModel, startPlannedModel } from "./continuity.ts";
import type { Reply } from "./reply.ts";

const flow = `name: ship
description: Ship it
steps:
  - { id: plan, type: action, instructions: Plan it, gate: [{ approval: human }] }
  - { id: build, type: action, instructions: Build the BOAT }
`;

interface Asked {
  readonly project: Project;
  readonly model: PlannedModel;
  readonly claude: ClaudeTerminal;
}

async function prepare(yaml = flow): Promise<{ project: Project; model: PlannedModel }> {
  const project = await installedProject("claude");
  project.write(".holdfast/workflows/ship.yaml", yaml);
  return { project, model: await startPlannedModel() };
}

/** The agent starts the workflow and makes one more call; the person sees what comes of it. */
async function converse(asks: Reply, { project, model }: Awaited<ReturnType<typeof prepare>>): Promise<Asked> {
  model.plan(call("workflow_start", { workflow: "ship" }), asks, { text: "That is all." });
  const claude = await openClaudeTerminal({ project, model, rows: 40, words: ["--allowedTools=mcp__holdfast"] });
  await claude.say("Ship it");
  return { project, model, claude };
}

const advance = call("workflow_advance", { output: "The plan: two oars" });

/** What the person saw in the form: from its title to the keys that it takes. */
function formIn(screen: string): string[] {
  const lines = screen.split("\n").map((line) => line.trim());
  const from = lines.findIndex((line) => line.includes("requests your input"));
  return lines.slice(from + 1).filter((line) => line !== "" && !line.startsWith("Esc to cancel"));
}

/** What the model was told last. */
async function told({ claude, model }: Asked): Promise<string> {
  await claude.waitFor(/That is all\./);
  const last = model.asked().at(-1);
  return last === undefined ? "" : claudeText(last);
}

async function events(project: Project, type: string): Promise<unknown[]> {
  const { value } = await project.json(["log"]);
  return value.events.filter((event: { readonly type: string }) => event.type === type);
}

describe("a person is asked by Claude Code itself,", () => {
  it("and approves there", async () => {
    const asked = await converse(advance, await prepare());
    const { claude, project } = asked;
    expect(formIn(await claude.waitFor(/Accept\s+Decline/))).toEqual([
      "ship, step plan: the agent asks for your approval.",
      "It submits:",
      "> The plan: two oars",
      "❯ * Decision: ▸ not set",
      "Reason: not set",
      "Needed to reject: what has to change",
      "Accept    Decline",
    ]);
    await choose(claude, ["approve", "reject"], "approve");
    await accept(claude);
    expect(await told(asked)).toContain("Build the BOAT");
    expect(await events(project, "approval-given")).toMatchObject([{ token: "plan#1", via: "host-dialog" }]);
  });

  it("and rejects there with a reason, which the agent gets", async () => {
    const asked = await converse(advance, await prepare());
    const { claude, project } = asked;
    await claude.waitFor(/Accept\s+Decline/);
    await choose(claude, ["approve", "reject"], "reject");
    await claude.type("Name the ropes");
    await claude.waitFor(/Reason: Name the ropes/);
    await accept(claude);
    expect(await told(asked)).toContain("Name the ropes");
    expect(await events(project, "approval-refused")).toMatchObject([{ reason: "Name the ropes", via: "host-dialog" }]);
  });

  it("and answers a question there", async () => {
    const asked = await converse(call("ask_question", { question: "Which colour has the rope?" }), await prepare());
    const { claude, project } = asked;
    const form = formIn(await claude.waitFor(/Accept\s+Decline/));
    expect(form.slice(0, 2)).toEqual(["ship, step plan: the agent asks you:", "> Which colour has the rope?"]);
    await claude.type("Red");
    await claude.waitFor(/Answer: Red/);
    await accept(claude);
    expect(await told(asked)).toMatch(/Which colour has the rope.*Red/s);
    expect(await events(project, "question-answered")).toMatchObject([{ answer: "Red", via: "host-dialog" }]);
  });

  it("and decides there how a run that failed continues", async () => {
    const asked = await converse(call("workflow_advance", { failed: true, output: "No paper" }), await prepare());
    const { claude, project } = asked;
    const form = formIn(await claude.waitFor(/Accept\s+Decline/));
    expect(form.slice(0, 3)).toEqual([
      "ship, step plan: it failed. How does the run continue?",
      "What is known:",
      "> No paper",
    ]);
    await choose(claude, ["retry", "skip"], "skip");
    await claude.press("Down");
    await accept(claude);
    expect(await told(asked)).toContain("Build the BOAT");
    expect(await events(project, "failure-decided")).toMatchObject([{ verdict: "skip", via: "host-dialog" }]);
  });

  it("and gives a variable there without which the workflow cannot start", async () => {
    const yaml = flow
      .replace("steps:", "variables: { rope: { type: text, required: true, description: Its colour } }\nsteps:")
      .replace("Plan it", '"Plan the {vars.rope} rope"');
    const asked = await converse({ text: "Well." }, await prepare(yaml));
    const { claude } = asked;
    expect(formIn(await claude.waitFor(/Accept\s+Decline/))[0]).toBe(
      "The agent starts the workflow ship, which needs this from you:",
    );
    await claude.type("red");
    await claude.waitFor(/rope: red/);
    await accept(claude);
    await claude.waitFor(/Well\./);
    const last = asked.model.asked().at(-1);
    expect(last === undefined ? "" : claudeText(last)).toContain("Plan the red rope");
  });

  it("and may leave it: the run waits, and the agent is told how they answer otherwise", async () => {
    const asked = await converse(advance, await prepare());
    await asked.claude.waitFor(/Accept\s+Decline/);
    await asked.claude.pressUntil("Escape", /That is all\./);
    expect(await told(asked)).toContain("holdfast approve");
    expect(await asked.project.json(["status"])).toMatchObject({ value: { status: "waiting" } });
  });
});

/** From the last field. An Enter that comes right after another key is not taken. */
async function accept(claude: ClaudeTerminal): Promise<void> {
  await claude.press("Down");
  while ((await claude.waitFor(/❯ Accept|That is all\.|Well\./)).includes("❯ Accept")) {
    await pause(enterMs);
    await claude.press("Enter");
    await pause(enterMs);
  }
}

const enterMs = 300;

/** Opens the list of the first field and takes an entry of it. */
async function choose(claude: ClaudeTerminal, entries: readonly string[], entry: string): Promise<void> {
  let key = "Right";
  for (const each of entries.slice(0, entries.indexOf(entry) + 1)) {
    await claude.pressUntil(key, new RegExp(`❯ ◯ ${each}`));
    key = "Down";
  }
  await claude.pressUntil("Enter", new RegExp(`Decision: ${entry}`));
}

describe("nobody is asked by Claude Code", () => {
  it("if a hook of theirs would answer", async () => {
    const prepared = await prepare();
    const hook = { hooks: [{ type: "command", command: "exit 0" }] };
    prepared.project.write(".claude/settings.local.json", JSON.stringify({ hooks: { Elicitation: [hook] } }));
    const asked = await converse(advance, prepared);
    expect(await told(asked)).toContain("holdfast approve");
    expect(await asked.claude.history()).not.toContain("requests your input");
  });

  it("if the workflow wants the approval in a terminal", async () => {
    const asked = await converse(
      advance,
      await prepare(flow.replace("approval: human", "approval: { human: [terminal] }")),
    );
    expect(await told(asked)).toContain("holdfast approve");
    expect(await asked.claude.history()).not.toContain("requests your input");
  });

  it("with -p, where the agent is told how they answer", async () => {
    const { project, model } = await prepare();
    model.plan(call("workflow_start", { workflow: "ship" }), advance, { text: "That is all." });
    await runClaude("Ship it", { project, model, mcpConfig: ".mcp.json", allowedTools: ["mcp__holdfast"] });
    const last = model.asked().at(-1);
    expect(last === undefined ? "" : claudeText(last)).toContain("holdfast approve");
    expect(await events(project, "approval-given")).toEqual([]);
  });
});
