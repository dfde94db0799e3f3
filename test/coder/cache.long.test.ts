import { expect, test } from "vitest";
import { counted, times } from "../dose.ts";
import { type LongSession, modules, turns, workLong } from "./long-session.ts";
import type { ModelRequest } from "./model/request.ts";
import type { WireName } from "./model/start.ts";

// The bytes of all requests of the whole program, as three providers get them. What is the same as in the request before can come
// from a provider's cache.

const window = 60_000;
const limit = 45_000;
const wires: readonly WireName[] = ["anthropic", "openai-responses", "openai-chat"];
const factors = [0.8, 1, 1.2];

function mean(numbers: readonly number[]): number {
  return numbers.reduce((sum, number) => sum + number, 0) / numbers.length;
}

/** The requests that are shorter than the one before. */
function compacted(requests: readonly ModelRequest[]): ModelRequest[] {
  return requests.filter(({ prefix }, at) => prefix.total < (requests[at - 1]?.prefix.total ?? 0));
}

async function expectCached(session: LongSession): Promise<void> {
  const { project, requests, ended, tokensOf } = await workLong(session);
  const named = `${session.wire}, ${session.factor}`;
  expect(ended, named).toMatchObject({ code: 0, stderr: "" });
  expect(project.model.violations, named).toEqual([]);
  expect(requests, named).toHaveLength(turns);
  const results = requests.flatMap(({ messages }) => messages.at(-1)?.results ?? []);
  expect(
    results.filter(({ isError, text }) => isError || text.startsWith("Error")),
    named,
  ).toEqual([]);
  expect(project.read("src/part2.js"), named).toContain(`revision = ${Math.ceil((turns - 3) / modules)};`);

  const shortened = compacted(requests);
  expect(shortened.length, named).toBeGreaterThanOrEqual(Math.floor(turns / 90));
  expect(Math.max(...requests.map(tokensOf)), named).toBeLessThan(limit * 1.01);

  const later = requests.slice(1);
  expect(mean(later.map(({ prefix }) => prefix.same / prefix.total)), named).toBeGreaterThanOrEqual(0.95);
  // Where a provider counts a fifth more, its 60,000 tokens are 50,000 of ours: there are more compactions, and Anthropic's marks lose
  // a little more with each.
  const least = session.wire === "anthropic" && session.factor > 1 ? 0.94 : 0.95;
  expect(mean(later.map(({ cache }) => cache.read / cache.total)), named).toBeGreaterThanOrEqual(least);
  for (const request of later) {
    const { prefix, cache } = request;
    const unread = prefix.same - cache.read * 4;
    // A token is four bytes.
    expect(unread, named).toBeGreaterThan(-4);
    // OpenAI caches behind every message; Anthropic does at marks, and finds the system prompt again after a compaction.
    const most = !shortened.includes(request) ? 4 : session.wire === "anthropic" ? prefix.same : 400;
    expect(unread, named).toBeLessThan(most);
  }
}

test.each(factors.slice(0, times({ quick: 1, long: 1, soak: factors.length })).map((_, at) => at))(
  `in ${turns} turns in a window of 60,000 tokens, no request is invalid and 95 of 100 bytes come from the cache (%d)`,
  async (shift) => {
    counted(wires.length * turns);
    // Each provider counts otherwise.
    const sessions = wires.map((wire, at) => ({ wire, window, factor: factors[(at + shift) % factors.length] ?? 1 }));
    await Promise.all(sessions.map(expectCached));
  },
);
