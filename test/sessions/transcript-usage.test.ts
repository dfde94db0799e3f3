import { appendFileSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, utimesSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { readTranscriptUsage } from "../../src/sessions/transcript-usage.ts";

const since = "2026-01-01T12:00:00.000Z";
const now = "2026-01-01T13:00:00.000Z";
const times = { since, now };

/** A line as Claude Code writes it: one for each block of an answer, each with the usage of the whole answer. */
function answer(id: string, output: number, at = "2026-01-01T12:30:00.000Z"): string {
  const usage = {
    input_tokens: 10,
    cache_creation_input_tokens: 5,
    cache_read_input_tokens: 90_000,
    output_tokens: output,
  };
  return `${JSON.stringify({ type: "assistant", timestamp: at, message: { id, usage, content: [] } })}\n`;
}

/** Codex repeats a report, and counts what it read from its cache. */
function report(total: number, at = "2026-01-01T12:30:00.000Z"): string {
  const last = { input_tokens: 100, cached_input_tokens: 80, output_tokens: 7 };
  const info = { last_token_usage: last, total_token_usage: { total_tokens: total } };
  return `${JSON.stringify({ timestamp: at, type: "event_msg", payload: { type: "token_count", info } })}\n`;
}

function transcript(text: string): string {
  const folder = mkdtempSync(join(tmpdir(), "transcript-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const path = join(folder, "s.jsonl");
  writeFileSync(path, text);
  return path;
}

const user = `${JSON.stringify({ type: "user", timestamp: since, message: { content: 'the word "usage"' } })}\n`;

test("an answer of several lines is counted once, without what came from the cache", () => {
  const path = transcript(`${user}${answer("m1", 20)}${answer("m1", 20)}${user}${answer("m2", 1)}`);
  expect(readTranscriptUsage(path, undefined, times)?.tokens).toBe(35 + 16);
});

test("reading goes on where it ended, also in the middle of an answer or of a line", () => {
  const path = transcript(answer("m1", 20));
  const first = readTranscriptUsage(path, undefined, times);
  const torn = answer("m2", 1);
  appendFileSync(path, `${answer("m1", 20)}${torn.slice(0, 30)}`);
  const second = readTranscriptUsage(path, first?.read.to, times);
  expect(second?.tokens).toBe(0);
  appendFileSync(path, torn.slice(30));
  expect(readTranscriptUsage(path, second?.read.to, times)?.tokens).toBe(16);
});

test("what was used before the session came to the run is not counted", () => {
  const path = transcript(answer("old", 500, "2026-01-01T11:59:59.999Z") + answer("m1", 20));
  expect(readTranscriptUsage(path, undefined, times)?.tokens).toBe(35);
});

test("a transcript that was written anew repeats nothing that was counted", () => {
  const path = transcript(answer("m1", 20) + answer("m2", 20));
  const before = readTranscriptUsage(path, undefined, times);
  writeFileSync(path, answer("m1", 20) + answer("m3", 1, "2026-01-01T13:00:01.000Z").slice(0, 200));
  appendFileSync(path, "\n");
  expect(readTranscriptUsage(path, before?.read.to, times)?.tokens).toBe(0);
});

test("of a transcript that has grown by very much, only the end is read", () => {
  const path = transcript(`${answer("m0", 500)}${"x".repeat(9_000_000)}\n${answer("m1", 20)}`);
  expect(readTranscriptUsage(path, undefined, times)?.tokens).toBe(35);
});

test("a report of Codex that is repeated is counted once", () => {
  const path = transcript(report(107) + report(107) + report(214));
  expect(readTranscriptUsage(path, undefined, times)?.tokens).toBe(2 * 27);
});

test("subagents count with what they used since the last reading", () => {
  const path = transcript(answer("m1", 20));
  const folder = join(path.replace(".jsonl", ""), "subagents");
  mkdirSync(folder, { recursive: true });
  const file = join(folder, "agent-1.jsonl");
  writeFileSync(file, answer("s1", 100) + answer("s2", 1, "2026-01-01T13:10:00.000Z"));
  utimesSync(file, new Date("2026-01-01T13:10:00.000Z"), new Date("2026-01-01T13:10:00.000Z"));
  expect(readTranscriptUsage(path, undefined, times)?.tokens).toBe(35 + 115 + 16);
  const read = { bytes: 0, at: now, message: "m1" };
  expect(readTranscriptUsage(path, read, times)?.tokens).toBe(16);
});

test.each([
  ["no file", () => "/nowhere/s.jsonl"],
  ["a folder", () => tmpdir()],
  ["a file without a whole line", () => transcript(answer("m1", 1).trimEnd())],
  [
    "a link",
    () => {
      const path = transcript(answer("m1", 1));
      symlinkSync(path, `${path}.link`);
      return `${path}.link`;
    },
  ],
])("%s tells nothing", (_, path) => {
  expect(readTranscriptUsage(path(), undefined, times)).toBeNull();
});

test.each([
  ["no numbers", { input_tokens: "9", output_tokens: -4, cache_creation_input_tokens: 1e300 }],
  ["no usage", 7],
])("an answer with %s counts nothing", (_, usage) => {
  const line = JSON.stringify({ type: "assistant", timestamp: now, message: { id: "m", usage } });
  expect(readTranscriptUsage(transcript(`not json usage"\n[]\n${line}\n`), undefined, times)?.tokens).toBe(0);
});
