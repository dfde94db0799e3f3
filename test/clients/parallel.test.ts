import { join } from "node:path";
import { expect, test } from "vitest";
import { until } from "../mcp/serve.ts";
import { openClaude } from "./claude.ts";
import { startClaudeModel } from "./claude-model.ts";
import { type ClaudeRequest, claudeText, isCompaction } from "./claude-request.ts";
import { call, handoffsIn, installedProject, openInstalled, startPlannedModel } from "./continuity.ts";
import { claudeVersions } from "./programs.ts";
import type { Reply } from "./reply.ts";

const versions = Object.values(claudeVersions);

const workflow = `
name: harbour
description: Build a harbour
loops:
  build: [{ id: implement, instructions: "Implement {task.title}" }]
steps:
  - { id: build, type: loop, parallel: 3 }
  - { id: open, type: action, instructions: Open it }
`;

const titles = { t1: "the anchor", t2: "the buoy", t3: "the crane" } as const;
type Task = keyof typeof titles;
const ids = Object.keys(titles) as Task[];
const setTasks = call("workflow_set_tasks", {
  loop_id: "build",
  tasks: ids.map((id) => ({ id, title: titles[id] })),
});
const tokens = { t1: "build/t1/implement#1@1", t2: "build/t2/implement#1@2", t3: "build/t3/implement#1@3" } as const;

/** The tasks whose titles a text has. */
function titlesIn(text: string): Task[] {
  return ids.filter((id) => text.includes(titles[id]));
}

test.each(versions)(
  "Claude Code %s: two windows on one loop have a visit each, and a compaction brings the own handoff",
  async (version) => {
    const project = await installedProject("claude");
    project.write(".holdfast/workflows/harbour.yaml", workflow);
    const [left, right] = [await startPlannedModel(), await startPlannedModel()];
    const one = await openInstalled(project, left, { version });
    left.plan(call("workflow_start", { workflow: "harbour" }), setTasks);
    await one.prompt("Start the harbour");
    const two = await openInstalled(project, right, { version });
    right.plan(call("workflow_status"));
    await two.prompt("Work on the harbour, too");
    expect(titlesIn(claudeText(right.asked().at(-1) as never))).toEqual(["t2"]);
    for (const [session, model, task] of [
      [two, right, "t2"],
      [one, left, "t1"],
    ] as const) {
      await session.prompt("/compact");
      await session.prompt("Where are we?");
      const [handoff = "", ...others] = handoffsIn(model.requests.at(-1));
      expect(others).toEqual([]);
      expect(handoff).toContain(`visit ${tokens[task]}`);
      expect(handoff).toContain(`Implement ${titles[task]}`);
      expect(titlesIn(handoff)).toEqual([task]);
    }
    await one.close();
    await two.close();
  },
);

test.each(versions)(
  "Claude Code %s: of three subagents on three tasks none gets another's, also when the main agent is compacted",
  async (version) => {
    const project = await installedProject("claude");
    project.write(".holdfast/workflows/harbour.yaml", workflow);
    const subtaskOf = (request: ClaudeRequest) =>
      ids.find((id) => JSON.stringify(request.messages[0]).includes(`SUBTASK ${id}`));
    const release = createSignal();
    const turns: Record<Task, number> = { t1: 0, t2: 0, t3: 0 };
    const plan: Reply[] = [
      call("workflow_start", { workflow: "harbour" }),
      setTasks,
      call("workflow_status", { task: "t2" }),
      call("workflow_status", { task: "t3" }),
      { calls: ids.map(spawn) },
    ];
    const model = await startClaudeModel(async (request) => {
      const task = subtaskOf(request);
      if (isCompaction(request)) return { text: "<summary>We talked.</summary>" };
      if (task === undefined)
        return request.tools.length === 0 ? { text: "x" } : (plan.shift() ?? { text: "Understood." });
      await release.given;
      turns[task] += 1;
      if (turns[task] > 1) return { text: `${task} is done.` };
      return call("workflow_advance", { token: tokens[task], output: `Built ${titles[task]}` });
    });
    const session = await openClaude({
      project,
      model,
      mcpConfig: join(project.root, ".mcp.json"),
      allowedTools: ["mcp__holdfast__*", "Agent"],
      version,
    });
    await session.prompt("Start the harbour with three subagents");
    await session.prompt("/compact");
    await session.prompt("Where are we?");
    const main = model.requests.filter((request) => subtaskOf(request) === undefined).at(-1);
    const [handoff = ""] = handoffsIn(main);
    expect(ids.filter((id) => handoff.includes(`visit ${tokens[id]}`))).toEqual(ids);
    expect(handoff).not.toContain("Implement the");
    release.give();
    await until("all subagents end", () => ids.every((id) => turns[id] > 1));
    for (const id of ids) {
      const asked = model.requests.filter((request) => subtaskOf(request) === id).map((request) => claudeText(request));
      expect(asked.flatMap(titlesIn).filter((other) => other !== id)).toEqual([]);
    }
    await session.close();
    const { events } = (await project.json(["log"])).value;
    const ended = events.filter(({ type }: { type: string }) => type === "task-ended");
    expect(ended.map(({ task, status }: { task: Task; status: string }) => `${task} ${status}`).sort()).toEqual(
      ids.map((id) => `${id} done`),
    );
  },
);

function spawn(id: Task) {
  const prompt = `SUBTASK ${id}: implement ${titles[id]}. Your token is ${tokens[id]}.`;
  const input = { description: `Do ${id}`, prompt, subagent_type: "general-purpose", run_in_background: true };
  return { name: "Agent", input };
}

function createSignal() {
  let give = () => {};
  const given = new Promise<void>((resolve) => {
    give = resolve;
  });
  return { given, give: () => give() };
}
