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

async function startPlannedModel(): Promise<Planned> {
  const planned: Reply[] = [];
  const isMain = (request: ChatRequest) => request.tools.length > 0 && !chatText(request).includes(`\n${subtask}`);
  const model = await startChatModel((request) => {
    if (isMain(request)) return planned.shift() ?? { text: "Understood." };
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
