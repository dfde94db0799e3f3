// Which share of the critical facts is before the model: in its first request after a loss of context, for every shape of
// workflow and every kind of loss; in its first request after the start; and, without hooks, after one workflow_status in a
// new session. All of it through the real Claude Code. `npm run bench:retention`.
import { join } from "node:path";
import { expect, test } from "vitest";
import { createProject, type Project, program } from "../test/cli/program.ts";
import { type ClaudeSession, openClaude } from "../test/clients/claude.ts";
import { type ClaudeRequest, claudeText, claudeToolResults } from "../test/clients/claude-request.ts";
import {
  call,
  createFullSubagent,
  handoffsIn,
  installedProject,
  type PlannedModel,
  startPlannedModel,
} from "../test/clients/continuity.ts";
import { type Case, type Fact, gateCommand, gateFile } from "./retention-case.ts";
import {
  addTo,
  type Count,
  cases,
  cell,
  inParallel,
  isThere,
  layOut,
  phaseText,
  print,
  shapes,
  shown,
} from "./retention-count.ts";
import { losses, type Stage } from "./retention-losses.ts";

test("after every loss of context, every critical fact is before the model", async () => {
  const counts = new Map<string, Count>();
  const missing: string[] = [];
  const jobs = Object.keys(losses).flatMap((loss) => cases.map((one) => ({ one, loss })));
  await inParallel(
    jobs.filter(({ one, loss }) => loss !== "gate" || one.workflow !== null),
    async ({ one, loss }) => {
      const { facts, text, project } = await lose(one, loss, "hooks");
      const lost = facts.filter((fact) => !isThere(project, text, fact));
      addTo(counts, `${one.shape} ${loss}`, facts.length, lost.length);
      missing.push(...lost.map((fact) => `${one.summary || one.shape}, ${loss}: ${shown(fact)}`));
    },
  );
  const bare: Count = [0, 0];
  await inParallel(
    cases.filter(({ workflow }) => workflow !== null),
    async (one) => {
      const { facts, text, project } = await lose(one, "compact", "no hooks");
      bare[0] += facts.filter((fact) => isThere(project, text, fact)).length;
      bare[1] += facts.length;
    },
  );
  const rows = shapes.map((shape) => [
    shape,
    ...Object.keys(losses).map((loss) => cell(counts.get(`${shape} ${loss}`))),
  ]);
  print("after a loss", [["", ...Object.keys(losses)], ...rows]);
  print("after a compaction, without the hooks", [["all shapes", cell(bare)]]);
  expect(missing).toEqual([]);
});

test("from the start, every critical fact is before the model", async () => {
  const { counts, missing } = await count(async (one, project) => {
    const { model, session } = await open(project);
    model.plan(startOf(one), { text: "Started." });
    await session.prompt("Start");
    const { runId, token } = (await project.json(["status"])).value;
    await session.close();
    return {
      facts: [runId, token, `\`${gateCommand}\` passes`, ...one.first, ...one.rules],
      text: lastResult(model.asked().at(-1)),
    };
  }, "hooks");
  print("from the start", [["", "workflow_start"], ...shapeRows(counts)]);
  expect(missing).toEqual([]);
});

test("without hooks, one workflow_status in a new session brings every critical fact before the model", async () => {
  const { counts, missing } = await count(async (one, project) => {
    const first = await open(project);
    await work(one, first);
    await first.session.close();
    const { model, session } = await open(project);
    model.plan(call("workflow_status"), { text: "I see." });
    await session.prompt("Go on with the workflow");
    const text = lastResult(model.asked().at(-1));
    const { runId, token } = (await project.json(["status"])).value;
    await session.close();
    return { facts: [runId, token, `\`${gateCommand}\` passes`, ...one.later, ...one.rules], text };
  }, "no hooks");
  print("without hooks", [["", "workflow_status"], ...shapeRows(counts)]);
  expect(missing).toEqual([]);
});

interface Told {
  readonly facts: readonly Fact[];
  readonly text: string;
}

/** For every case with a run: what there is to know, and what the model was told. */
async function count(tell: (one: Case, project: Project) => Promise<Told>, hooks: Hooks) {
  const counts = new Map<string, Count>();
  const missing: string[] = [];
  await inParallel(
    cases.filter(({ workflow }) => workflow !== null),
    async (one) => {
      const project = await prepare(one, hooks, true);
      const { facts, text } = await tell(one, project);
      const lost = facts.filter((fact) => !isThere(project, text, fact));
      addTo(counts, one.shape, facts.length, lost.length);
      missing.push(...lost.map((fact) => `${one.summary}: ${shown(fact)}`));
    },
  );
  return { counts, missing };
}

/** Brings a workflow to its point, loses the context, and tells what the model is asked next. */
async function lose(one: Case, loss: string, hooks: Hooks): Promise<Told & { readonly project: Project }> {
  const project = await prepare(one, hooks, loss === "gate");
  const stage = await open(project);
  await work(one, stage);
  const asked = await losses[loss]?.(stage);
  const status = one.workflow === null ? null : (await project.json(["status"])).value;
  // Not earlier: a gate that passes takes the run to its next step.
  project.write(gateFile, "");
  await stage.session.close();
  const place = status === null ? [] : [status.runId, status.token, phaseText(status.phase)];
  const gate = loss === "gate" ? [gateCommand] : [];
  return { project, facts: [...place, ...gate, ...one.later, ...one.rules], text: textOf(asked, hooks) };
}

/** The handoff alone, so that what is left of the conversation does not count; without hooks there is only that. */
function textOf(asked: ClaudeRequest | undefined, hooks: Hooks): string {
  if (asked === undefined) return "";
  return hooks === "hooks" ? (handoffsIn(asked)[0] ?? "") : claudeText(asked);
}

type Hooks = "hooks" | "no hooks";

async function prepare(one: Case, hooks: Hooks, gates: boolean): Promise<Project> {
  const project = hooks === "hooks" ? await installedProject("claude") : bareProject();
  layOut(project, one, gates);
  return project;
}

/** The tools without the hooks: what an agent has that only speaks MCP. */
function bareProject(): Project {
  const project = createProject();
  const server = { command: process.execPath, args: [program, "mcp"] };
  project.write(".mcp.json", JSON.stringify({ mcpServers: { holdfast: server } }));
  return project;
}

async function open(project: Project): Promise<Stage> {
  const subagent = createFullSubagent(join(project.root, "rope.txt"));
  const model = await startPlannedModel(subagent);
  const start: Stage["open"] = ({ words = [], ...more } = {}) =>
    openClaude({
      project,
      model,
      mcpConfig: join(project.root, ".mcp.json"),
      allowedTools: ["mcp__holdfast__*", "Read", "Agent"],
      words: ["--model", "claude-sonnet-4-5", ...words],
      env: { CLAUDE_CODE_AUTO_COMPACT_WINDOW: "100000" },
      ...more,
    });
  const session = await start();
  await connected(session, model);
  return { project, model, subagent, session, id: "", open: start };
}

/** On a busy machine the first prompt may be faster than the server of the tools. */
async function connected(session: ClaudeSession, model: PlannedModel): Promise<void> {
  for (let tries = 0; tries < 20; tries++) {
    await session.prompt("Hello");
    if (model.requests.at(-1)?.tools.some(({ name }) => name === "mcp__holdfast__workflow_start")) return;
  }
  throw new Error("the server of the tools does not connect");
}

async function work(one: Case, stage: Stage): Promise<void> {
  const { model } = stage;
  const say = async (session: ClaudeSession, text: string) => {
    stage.id = (await session.prompt(text)).session;
  };
  if (one.workflow !== null) model.plan(startOf(one), { text: "Started." });
  await say(stage.session, "Start");
  model.plan(...one.calls, { text: "Done." });
  await say(stage.session, "Work");
}

function startOf({ workflow, summary }: Case) {
  return call("workflow_start", { workflow: workflow?.name, summary });
}

function lastResult(asked: ClaudeRequest | undefined): string {
  const text = asked === undefined ? "" : (claudeToolResults(asked).at(-1) ?? "");
  // A reply is JSON, in which texts of several lines are escaped.
  return text.replaceAll("\\n", "\n").replaceAll('\\"', '"');
}

function shapeRows(counts: Map<string, Count>): string[][] {
  return shapes.flatMap((shape) => (counts.has(shape) ? [[shape, cell(counts.get(shape))]] : []));
}
