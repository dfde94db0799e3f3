import { execFileSync } from "node:child_process";
import { describe, expect, it } from "vitest";
import type { Project } from "../cli/program.ts";
import { startChatModel } from "./chat-model.ts";
import { type ChatRequest, chatText, chatToolResults, isChatCompaction } from "./chat-request.ts";
import { installedProject } from "./continuity.ts";
import { openCopilot, openCopilotTerminal, runCopilot } from "./copilot.ts";
import type { Reply } from "./reply.ts";

const workflow = `
name: knot
description: Tie a knot
hold: true
required_reading: ["@docs/rope.md"]
key_reminders: ["Never cut the rope"]
variables: { rope: hemp }
steps:
  - { id: measure, type: action, instructions: Measure the rope }
  - { id: tie, type: action, instructions: Tie the bowline }
`;

async function knotProject(hosts: string): Promise<Project> {
  const project = await installedProject(hosts);
  execFileSync("git", ["init", "--quiet"], { cwd: project.root });
  project.write(".holdfast/workflows/knot.yaml", workflow);
  project.write("docs/rope.md", "About rope\n");
  return project;
}

function call(tool: string, input: Readonly<Record<string, unknown>> = {}): Reply {
  return { calls: [{ name: `holdfast-${tool}`, input }] };
}

const shell = (command: string, inputTokens = 1_000): Reply => ({
  calls: [{ name: "bash", input: { command, description: "Works" } }],
  inputTokens,
});

const began = [
  call("workflow_start", { workflow: "knot" }),
  call("workflow_advance", { output: "twelve metres", token: "measure#1" }),
];

const facts = [
  "1 measure  twelve metres",
  "CONTINUE HERE   step 2/2 tie · visit tie#1",
  "Tie the bowline",
  "@docs/rope.md",
  "Never cut the rope",
  "rope: hemp",
];

/** A model that says what is laid out for it, in order; a compaction gets a summary that knows nothing. */
async function startPlanned(...planned: Reply[]) {
  const model = await startChatModel((request) =>
    isChatCompaction(request) ? { text: "We talked." } : (planned.shift() ?? { text: "Understood." }),
  );
  return { ...model, plan: (...replies: Reply[]) => planned.push(...replies) };
}

function handoffsIn(request: ChatRequest | undefined): readonly string[] {
  const text = request === undefined ? "" : chatText(request);
  return [...text.matchAll(/<holdfast run=[\s\S]*?<\/holdfast>/g)].map(([handoff]) => handoff);
}

function expectRestored(request: ChatRequest | undefined): void {
  const handoffs = handoffsIn(request);
  expect(facts.filter((fact) => !handoffs.at(-1)?.includes(fact))).toEqual([]);
  expect(handoffs).toHaveLength(1);
}

/** Without the one that asks for the summary. */
function asked(requests: readonly ChatRequest[]): readonly ChatRequest[] {
  return requests.filter((request) => !isChatCompaction(request));
}

describe("Copilot CLI", () => {
  it.each(["claude", "claude,copilot"])(
    "is told once by the prompt after a compaction in a project that is set up for %s",
    async (hosts) => {
      const project = await knotProject(hosts);
      const model = await startPlanned(...began, { text: "Measured." });
      const session = await openCopilot({ project, model });
      await session.prompt("Start the knot workflow");
      expect(model.requests.flatMap(chatToolResults).join()).toContain("Tie the bowline");
      await session.prompt("/compact");
      expect(model.requests.filter(isChatCompaction)).toHaveLength(1);
      await session.prompt("Go on");
      expectRestored(asked(model.requests).at(-1));
      await session.prompt("And then?");
      expectRestored(asked(model.requests).at(-1));
      await session.close();
      const { session_history } = (await project.json(["sessions"])).value;
      expect(session_history).toEqual([expect.objectContaining({ session_id: session.id, compactions: 1 })]);
    },
  );

  it("is put back on its run in the middle of a turn where it compacts by itself", async () => {
    const project = await knotProject("copilot");
    // The summary is made in the background: the calls go on meanwhile, and what comes after its start stays.
    const work = [shell("echo one", 125_000), ...Array.from({ length: 4 }, () => shell("sleep 0.3; echo on"))];
    const model = await startPlanned(...began, ...work, { text: "Tied." });
    await runCopilot("Start the knot workflow", { project, model });
    expect(model.requests.filter(isChatCompaction)).toHaveLength(1);
    const after = asked(model.requests).filter((request) => chatText(request).includes("We talked."));
    expect(after.length).toBeGreaterThan(0);
    for (const request of after) expectRestored(request);
  });

  it("is put back on its run after a clear in its terminal", async () => {
    const project = await knotProject("copilot");
    const model = await startPlanned(...began, { text: "Measured." }, { text: "Waiting." });
    const terminal = await openCopilotTerminal({ project, model });
    await terminal.say("Start the knot workflow");
    await terminal.waitFor(/Waiting\./);
    await terminal.say("/clear");
    await terminal.waitFor(/fresh session/);
    await terminal.say("Go on");
    await terminal.waitFor(/Understood\./);
    const first = asked(model.requests).find((request) => chatText(request).includes('reason="clear"'));
    expectRestored(first);
  });
});
