import { rmSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { type ChatModel, startChatModel } from "./chat-model.ts";
import { type ChatRequest, chatText, chatToolResults, lastChatText } from "./chat-request.ts";
import { installedProject } from "./continuity.ts";
import { isOpencodeCompaction, openOpencode } from "./opencode.ts";
import type { Reply } from "./reply.ts";

const workflow = `
name: knot
description: Tie a knot
required_reading: ["@docs/rope.md"]
key_reminders: ["Never cut the rope"]
variables: { rope: hemp }
steps:
  - { id: measure, type: action, instructions: Measure the rope }
  - { id: tie, type: action, instructions: Tie the bowline }
  - { id: check, type: action, instructions: Pull at it }
`;

const facts = [
  "1 measure  twelve metres",
  "CONTINUE HERE   step 2/3 tie · visit tie#1",
  "Tie the bowline",
  "@docs/rope.md",
  "Never cut the rope",
  "rope: hemp",
];

function call(tool: string, input: Readonly<Record<string, unknown>> = {}): Reply {
  return { calls: [{ name: `holdfast_${tool}`, input }] };
}

interface Planned extends ChatModel {
  plan(...replies: readonly Reply[]): void;
  /** What the agent asked since the last look; titles, summaries and subagents are left aside. */
  asked(): readonly ChatRequest[];
}

const subtask = "SUBTASK: look around";

function isSubagents({ messages }: ChatRequest): boolean {
  return messages.some(({ role, content }) => role === "user" && JSON.stringify(content).includes(subtask));
}

async function startPlannedModel(): Promise<Planned> {
  const planned: Reply[] = [];
  const isMain = (request: ChatRequest) => request.tools.length > 0 && !isSubagents(request);
  const model = await startChatModel((request) => {
    if (isMain(request)) return planned.shift() ?? { text: "Understood." };
    if (isSubagents(request) && chatToolResults(request).length === 0) return call("workflow_status");
    return { text: isOpencodeCompaction(request) ? "We talked." : "Looked around." };
  });
  let seen = 0;
  return {
    ...model,
    plan: (...replies) => planned.push(...replies),
    asked() {
      const fresh = model.requests.slice(seen);
      seen = model.requests.length;
      return fresh.filter(isMain);
    },
  };
}

async function prepare() {
  const project = await installedProject("opencode");
  project.write(".holdfast/workflows/knot.yaml", workflow);
  project.write("docs/rope.md", "About rope\n");
  const model = await startPlannedModel();
  model.plan(
    call("workflow_start", { workflow: "knot" }),
    call("workflow_advance", { output: "twelve metres", token: "measure#1" }),
    { text: "Measured." },
  );
  return { project, model };
}

function handoffsIn(request: ChatRequest | undefined): string[] {
  const text = request === undefined ? "" : chatText(request);
  return [...text.matchAll(/<holdfast run=[\s\S]*?<\/holdfast>/g)].map(([handoff]) => handoff);
}

function expectLine([request, ...more]: readonly ChatRequest[]): void {
  expect(more).toEqual([]);
  expect(handoffsIn(request)).toEqual([]);
  expect(request === undefined ? "" : chatText(request)).toContain("Holdfast: the workflow knot is in progress");
}

function missingIn(request: ChatRequest | undefined): readonly string[] {
  const [handoff = "", ...more] = handoffsIn(request);
  expect(more).toEqual([]);
  return facts.filter((fact) => !handoff.includes(fact));
}

test("opencode keeps the run over a compaction of a live session, in every request after it", async () => {
  const { project, model } = await prepare();
  const session = await openOpencode({ project, model });
  await session.prompt("Start the knot workflow");
  expect(model.asked().flatMap(chatToolResults).join()).toContain("Tie the bowline");
  await session.compact();
  const summary = model.requests.findLast(isOpencodeCompaction);
  expect(summary === undefined ? "" : lastChatText(summary)).toContain(
    "A Holdfast workflow is in progress. Keep in the summary",
  );
  expect(handoffsIn(summary)).toEqual([]);

  model.plan({ calls: [{ name: "bash", input: { command: "echo $HOLDFAST_SESSION", description: "Looks" } }] });
  await session.prompt("Go on");
  await session.prompt("Go on, please");
  const asked = model.asked();
  expect(asked).toHaveLength(3);
  expect(asked.map(missingIn)).toEqual([[], [], []]);
  expect(asked.map((request) => handoffsIn(request)[0]?.includes('reason="compact"'))).toEqual([true, true, true]);
  expect(asked.at(-1)?.messages.slice(0, asked[0]?.messages.length)).toEqual(asked[0]?.messages);
  expect(asked.flatMap(chatToolResults).join()).toContain(session.id);
  await session.close();
  const { events } = (await project.json(["log"])).value;
  expect(JSON.stringify(events)).toContain("compaction");
});

test("opencode gives a subagent no handoff, and counts its calls for the agent that asked it", async () => {
  const { project, model } = await prepare();
  const session = await openOpencode({ project, model });
  await session.prompt("Start the knot workflow");
  await session.compact();
  model.asked();
  const input = { description: "Look", prompt: subtask, subagent_type: "general" };
  model.plan({ calls: [{ name: "task", input }] }, { text: "It looked." });
  await session.prompt("Ask a subagent");
  const ofSubagent = model.requests.filter((request) => request.tools.length > 0 && isSubagents(request));
  expect(ofSubagent.length).toBeGreaterThan(1);
  expect(ofSubagent.flatMap(handoffsIn)).toEqual([]);
  expect(ofSubagent.flatMap(chatToolResults).join()).toContain("Tie the bowline");
  expect(model.asked().map(missingIn)).toEqual([[], []]);
  await session.close();
  const seats = project.journal().match(/ses_\w+/g);
  expect([...new Set(seats)]).toEqual([session.id]);
});

test("opencode's sessions in one process are told apart: the others, also a copy, get a line about the run", async () => {
  const { project, model } = await prepare();
  const first = await openOpencode({ project, model });
  await first.prompt("Start the knot workflow");
  model.asked();
  const second = await first.next("new");
  await second.prompt("What is the capital of France?");
  expectLine(model.asked());
  model.plan(call("workflow_advance", { output: "It holds", token: "tie#1" }), { text: "Tied." });
  await first.prompt("Tie it");
  expect(project.journal()).toContain("It holds");
  expect(project.journal()).not.toContain(second.id);
  model.asked();
  const copy = await first.next("fork");
  await copy.prompt("Go on");
  expectLine(model.asked());
  await first.close();
});

test("opencode offers the commands, and goes on without a word where Holdfast is missing", async () => {
  const project = await installedProject("opencode");
  const model = await startPlannedModel();
  const session = await openOpencode({ project, model });
  await session.command("holdfast-start", "knot with a long rope");
  expect(lastChatText(model.asked()[0] as never)).toContain(
    "The user wants to start a workflow: knot with a long rope",
  );
  await session.close();
  rmSync(join(project.root, "node_modules/holdfast"));
  const alone = await openOpencode({ project, model });
  expect(await alone.prompt("Hello")).toBe("Understood.");
  await alone.compact();
  expect(await alone.prompt("And now?")).toBe("Understood.");
  await alone.close();
  expect(model.asked().map((request) => chatText(request).includes("Holdfast"))).toEqual([false, false]);
});
