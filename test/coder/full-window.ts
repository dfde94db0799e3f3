import { expect } from "vitest";
import { createCoded, sentIn } from "./coded.ts";
import type { ModelAnswer } from "./model/answer.ts";
import type { ModelRequest } from "./model/request.ts";
import type { WireName } from "./model/start.ts";

export const call = (name: string, input: Record<string, unknown>): ModelAnswer => ({ calls: [{ name, input }] });
const workflow = 'name: story\ndescription: A small story\nsteps: [{ id: A, type: action, instructions: "Do it" }]\n';

const isWish = (request: ModelRequest) => request.messages.at(-1)?.text.includes("Call no tool") === true;

export const hasSummary = (request: ModelRequest | undefined) =>
  request?.messages.some(({ text }) => text.includes("[Summary of ")) === true;

export const summary = {
  goal: "Greet people by name",
  decisions: ["The name comes LAST, because the tests want it"],
  next: ["Write the test"],
};

/** Thinks aloud until the window is full and older messages have to go, and is done after that. */
export async function play(wire: WireName, settings: string, summarize: ModelAnswer) {
  const aloud = "I look at every line of this program before I change it. ".repeat(90);
  let isEnough = false;
  let taken = 0;
  const project = await createCoded({
    wire,
    workflow,
    settings: `  window: 24000\n${settings}`,
    answer: (request): ModelAnswer => {
      taken += 1;
      if (isWish(request)) {
        isEnough = true;
        return summarize;
      }
      isEnough ||= hasSummary(request);
      if (isEnough || taken > 40) return call("done", { output: "The end" });
      return { text: `${taken}. ${aloud}`, calls: [{ name: "read", input: { path: `part-${taken}.js` } }] };
    },
  });
  const ended = await project.run("--json");
  const { requests } = project.model;
  return { project, ended, requests, wishes: requests.filter(isWish) };
}

const tokensOf = (stdout: string) =>
  Math.max(...[...stdout.matchAll(/"type":"usage".*?"tokens":(\d+)/g)].map(([, tokens]) => Number(tokens)));

/** A full window is summed up by the model, at the price of a cached request. */
export async function expectSummary(wire: WireName): Promise<void> {
  const answer = { text: `Here it is:\n${JSON.stringify(summary)}`, usage: { input: 20_000, output: 500 } };
  const { project, ended, requests, wishes } = await play(wire, "  summary: model\n", answer);
  expect(ended.code, ended.stdout + ended.stderr).toBe(0);
  expect(wishes).toHaveLength(1);
  const at = requests.indexOf(wishes[0] as ModelRequest);
  const [before, wish, after] = requests.slice(at - 1, at + 2) as [ModelRequest, ModelRequest, ModelRequest];
  // The conversation as it was sent before, to the byte, with what came since.
  expect(wish.system).toBe(before.system);
  expect(wish.tools).toEqual(before.tools);
  expect(wish.messages.slice(0, before.messages.length)).toEqual(before.messages);
  expect(wish.cache.read).toBeGreaterThanOrEqual(before.cache.total * 0.95);
  // The summary is in the next request, and the wish for it in none.
  expect(hasSummary(after)).toBe(true);
  expect(sentIn(after)).toContain(summary.decisions[0]);
  expect(sentIn(after)).not.toContain("Call no tool");
  expect(sentIn(after).length).toBeLessThan(sentIn(wish).length * 0.8);
  // It is paid for, but no turn.
  expect(tokensOf(ended.stdout)).toBeGreaterThan(20_500);
  expect(ended.stdout).toContain(`"turns":${requests.length - 1},`);
  expect(ended.stdout).not.toContain(`"turns":${requests.length},`);
  expect(project.model.violations).toEqual([]);
}

/** In place of a summary the model sends this: the digest is used, and nobody is asked twice. */
export async function expectDigest(answer: ModelAnswer): Promise<void> {
  const { ended, requests, wishes } = await play("anthropic", "", answer);
  expect(ended.code, ended.stdout + ended.stderr).toBe(0);
  expect(wishes).toHaveLength(1);
  expect(hasSummary(requests.at(-1))).toBe(true);
}
