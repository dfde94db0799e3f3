import { times } from "../dose.ts";
import { createCoded } from "./coded.ts";
import type { ModelReply } from "./model/answer.ts";
import type { ModelRequest } from "./model/request.ts";
import type { WireName } from "./model/start.ts";

/** The SDK checks every message of every request, which takes most of the time. */
export const turns = times({ quick: 60, long: 180, soak: 300 });
export const modules = 24;
/** A step without a budget, so that nothing but its work ends it. */
const workflow = `name: story
description: One long step
steps: [{ id: WORK, type: action, instructions: "Work through all modules: {run.request}" }]
`;

export interface LongSession {
  readonly wire: WireName;
  readonly window: number;
  /** The provider counts this many times the tokens that we expect. */
  readonly factor: number;
}

/** The whole program with a model that works for a long time: it reads, searches, changes and tests a small project. */
export async function workLong({ wire, window, factor }: LongSession) {
  const tokensOf = ({ prefix }: ModelRequest) => Math.round((prefix.total / 3.3) * factor);
  const project = await createCoded({
    wire,
    workflow,
    settings: `  window: ${window}\n  summary: digest\n`,
    answer: (request, index) => ({ ...turn(request, index), usage: { input: tokensOf(request) } }),
  });
  for (let n = 0; n < modules; n++) project.write(`src/part${n}.js`, moduleText(n));
  project.write("part.test.js", testText);
  // The SDK takes back the thoughts of those models of OpenAI that it knows to think.
  const agent = wire === "openai-responses" ? "model:openai/gpt-5-scripted" : project.agent;
  const words = ["run", "story", "Raise the revisions", "--agent", agent, "--yes", "--no-wait"];
  const ended = await project.bundled(words, { env: project.settings });
  return { project, requests: project.model.requests, ended, tokensOf };
}

/** Between 20 and 112 lines. */
function moduleText(n: number): string {
  const lines = Array.from(
    { length: 20 + n * 4 },
    (_, at) =>
      `export const rule${at} = (order) => order.total > ${at * 7 + n} && !order.lines.includes("${n}-${at}");`,
  );
  return `export const revision = 0;\n${lines.join("\n")}\n`;
}

const testText = `import assert from "node:assert";
import { readdirSync } from "node:fs";
import { test } from "node:test";
for (const name of readdirSync("src")) {
  test(name, async () => assert.ok((await import("./src/" + name)).revision >= 0));
}
`;

function turn({ messages }: ModelRequest, index: number): ModelReply {
  if (index === turns - 1) return { calls: [{ name: "done", input: { output: "The revisions are raised." } }] };
  const n = index % modules;
  const round = Math.floor(index / modules);
  return {
    thinking: `Part ${n}, round ${round}: what does it say, and what does it need?`,
    ...(index % 4 === 0 && { text: `Now part ${n}.` }),
    calls: work(index % 6, { n, round, messages }),
  };
}

/** Six kinds of turns, over and over; the third comes to the same modules in every round. */
function work(kind: number, { n, round, messages }: { n: number; round: number; messages: ModelRequest["messages"] }) {
  const path = `src/part${n}.js`;
  const call = (name: string, input: Record<string, unknown>) => ({ name, input });
  switch (kind) {
    case 0:
      return [call("read", { path, lines: 40 + (round % 5) * 20 })];
    case 1:
      return [call("search", { pattern: `rule1${n % 10} .*${n}-` })];
    case 2:
      return [call("edit", { path, old: `revision = ${round};`, new: `revision = ${round + 1};` })];
    case 3:
      return [call("shell", { command: n === 3 ? "node --test" : `git diff --stat && wc -l ${path}` })];
    case 4:
      return [call("read", { path, from: 1, lines: 5 }), call("list", { path: "src" })];
    default: {
      const cleared = clearedOutput(messages);
      return [cleared === null ? call("list", {}) : call("read_output", { id: cleared })];
    }
  }
}

/** The id of the first output that a compaction has taken out. */
function clearedOutput(messages: ModelRequest["messages"]): string | null {
  const texts = messages.flatMap(({ results }) => results.map(({ text }) => text));
  return texts.map((text) => /read_output\("([^"]+)"\)/.exec(text)?.[1]).find((id) => id !== undefined) ?? null;
}
