// Which share of the critical facts is before the model in its first request after a compaction, with Holdfast's hooks
// and without them, over generated workflows and compaction points, through the real Claude Code. `npm run bench:retention`.
import { join } from "node:path";
import { expect, test } from "vitest";
import { createProject, type Project, program } from "../test/cli/program.ts";
import { openClaude } from "../test/clients/claude.ts";
import { claudeText } from "../test/clients/claude-request.ts";
import { call, installedProject, type PlannedModel, startPlannedModel } from "../test/clients/continuity.ts";
import type { Reply } from "../test/clients/reply.ts";
import { type Case, generateCase } from "./retention-case.ts";

const amount = Number(process.env.HOLDFAST_RETENTION ?? 50);
const sideBySide = 2;

test(`after a compaction every critical fact of ${amount} workflows is before the model`, async () => {
  const kept = { with: [0, 0], without: [0, 0] } as Record<"with" | "without", [number, number]>;
  const missing: string[] = [];
  const seeds = Array.from({ length: amount }, (_, index) => index + 1);
  const work = async () => {
    for (let seed = seeds.shift(); seed !== undefined; seed = seeds.shift()) {
      const one = generateCase(seed);
      for (const how of ["with", "without"] as const) {
        const { facts, text } = await compactOnce(one, how);
        const lost = facts.filter((fact) => !text.includes(fact));
        kept[how][0] += facts.length - lost.length;
        kept[how][1] += facts.length;
        if (how === "with") missing.push(...lost.map((fact) => `workflow ${seed}: ${fact}`));
      }
    }
  };
  await Promise.all(Array.from({ length: sideBySide }, work));
  const line = ([there, all]: [number, number]) => `${there} of ${all} facts, ${((100 * there) / all).toFixed(1)} %`;
  process.stdout.write(`with Holdfast     ${line(kept.with)}\nwithout its hooks ${line(kept.without)}\n`);
  expect(missing).toEqual([]);
});

/** Brings a run to its point, compacts the conversation, and tells what the model is asked next. */
async function compactOnce(one: Case, how: "with" | "without"): Promise<{ facts: string[]; text: string }> {
  const project = how === "with" ? await installedProject("claude") : bareProject();
  project.write(`.holdfast/workflows/${one.name}.yaml`, one.workflow);
  for (const file of one.files) project.write(file, "read me\n");
  const model = await startPlannedModel();
  const session = await openClaude({
    project,
    model,
    mcpConfig: join(project.root, ".mcp.json"),
    allowedTools: ["mcp__holdfast__*"],
  });
  await prompt(session, model, "Start", [call("workflow_start", { workflow: one.name, summary: one.summary })]);
  await prompt(session, model, "Work", one.calls);
  await session.prompt("/compact");
  model.asked();
  await session.prompt("Go on");
  const [asked] = model.asked();
  const status = (await project.json(["status"])).value;
  await session.close();
  return { facts: one.facts(status), text: asked === undefined ? "" : claudeText(asked) };
}

async function prompt(
  session: { prompt(text: string): Promise<unknown> },
  model: PlannedModel,
  text: string,
  replies: readonly Reply[],
): Promise<void> {
  model.plan(...replies, { text: "Done." });
  await session.prompt(text);
}

/** The tools without the hooks: what an agent has that only speaks MCP. */
function bareProject(): Project {
  const project = createProject();
  const server = { command: process.execPath, args: [program, "mcp"] };
  project.write(".mcp.json", JSON.stringify({ mcpServers: { holdfast: server } }));
  return project;
}
