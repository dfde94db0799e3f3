import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { RunEvent } from "../../src/model/event.ts";
import { copyJournal, plainJournal } from "../../src/store/journal-copy.ts";
import { writeLine } from "../../src/store/journal-line.ts";
import { replaceJournal } from "../../src/store/replace-journal.ts";
import { counted, times } from "../dose.ts";
import { makeFolder, type Project, startProject } from "./project.ts";
import { bundleWorker, startWorker } from "./worker.ts";

let folder: string;
let remove: () => void;

beforeEach(() => {
  ({ folder, remove } = makeFolder());
});
afterEach(() => remove());

function rootOf(project: Project): string {
  return join(project.folder, ".holdfast", "runs");
}

/** The journal as it is, with one commit more that says that it came from elsewhere. */
function longer(root: string, run: string) {
  const copy = copyJournal(root, run);
  const last = copy?.commits.at(-1);
  if (copy === null || last === undefined) throw new Error("there is no journal");
  const seq = (last.events.at(-1)?.seq ?? 0) + 1;
  const receipt: RunEvent = {
    seq,
    at: "2026-01-01T00:00:00.000Z",
    type: "run-received",
    from: "origin",
    machine: "m-1",
    worktree: null,
    after: seq - 1,
  };
  const line = writeLine({ version: last.version + 1, prev: last.id, writer: "received", events: [receipt] }).bytes;
  return { copy, bytes: Buffer.concat([plainJournal(copy.commits), line]) };
}

describe("a journal that takes the place of another", () => {
  it("stands there as a whole, and the other is kept when that is asked for", async () => {
    const project = await startProject(folder);
    const root = rootOf(project);
    const { copy, bytes } = longer(root, project.runId);
    const before = readFileSync(join(root, project.runId, "journal.jsonl"));
    const keepAs = "journal.kept-0.jsonl";
    expect(replaceJournal(root, project.runId, { copy, bytes, keepAs })).toEqual({ kept: keepAs });
    expect(readFileSync(join(root, project.runId, "journal.jsonl"))).toEqual(bytes);
    expect(readFileSync(join(root, project.runId, keepAs))).toEqual(before);
    expect(readdirSync(join(root, project.runId)).filter((name) => name.startsWith("."))).toEqual([]);
  });

  it("does not when the other has moved on, was replaced, or is there although it should not be", async () => {
    const project = await startProject(folder);
    const root = rootOf(project);
    const { copy, bytes } = longer(root, project.runId);
    const given = { bytes, keepAs: null };
    expect(replaceJournal(root, project.runId, { ...given, copy: null })).toBe(null);
    expect(replaceJournal(root, project.runId, { ...given, copy })).toEqual({ kept: null });
    expect(replaceJournal(root, project.runId, { ...given, copy })).toBe(null);
    const there = copyJournal(root, project.runId);
    expect(replaceJournal(root, project.runId, { ...given, copy: there && { ...there, size: there.size - 1 } })).toBe(
      null,
    );
    expect(readFileSync(join(root, project.runId, "journal.jsonl"))).toEqual(bytes);
  });
});

it("however often a journal is replaced under two writers, nothing that was acknowledged is lost", async () => {
  const project = await startProject(folder);
  const root = rootOf(project);
  const program = await bundleWorker(folder, "steady-writer");
  const writers = ["a", "b"].map(() => startWorker(program, [root, project.runId]));
  await Promise.all(writers.map((writer) => writer.line()));
  const acknowledged: string[] = [];
  let replaced = 0;
  const rounds = counted(times({ quick: 50, long: 400, soak: 1_200 }));
  for (let round = 0; round < rounds; round++) {
    const prepared = longer(root, project.runId);
    const send = () => {
      for (const [index, writer] of writers.entries()) writer.send(`${index}-${round}`);
    };
    // Now they write at the same moment, now right after, still with the old file in their hands.
    if (round % 2 === 0) send();
    if (replaceJournal(root, project.runId, { ...prepared, keepAs: null }) !== null) replaced += 1;
    if (round % 2 === 1) send();
    acknowledged.push(...(await Promise.all(writers.map((writer) => writer.line()))));
  }
  for (const writer of writers) writer.process.stdin?.end();
  await Promise.all(writers.map((writer) => writer.end));
  expect(writers.map((writer) => writer.complaints())).toEqual(["", ""]);
  expect(acknowledged).toHaveLength(2 * rounds);
  expect(replaced).toBeGreaterThanOrEqual(rounds / 2);
  const names = readdirSync(join(root, project.runId)).filter((name) => /^journal.*jsonl$/.test(name));
  const kept = names.map((name) => readFileSync(join(root, project.runId, name), "utf8")).join("");
  expect(acknowledged.filter((summary) => !kept.includes(`"summary":"${summary}"`))).toEqual([]);
  expect(copyJournal(root, project.runId)?.commits.length).toBeGreaterThan(rounds);
});
