import { existsSync, readdirSync, readFileSync, truncateSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import type { Repaired } from "../../src/app/commands/repair-run.ts";
import { operations } from "../../src/app/operations.ts";
import { writeLine } from "../../src/store/journal-line.ts";
import { cutJournal, inspectJournal } from "../../src/store/repair.ts";
import { readAll } from "../../src/store/store.ts";
import { advance, linesOf, makeFolder, noted, type Project, startProject, writeLines } from "./project.ts";

let project: Project;
let remove: () => void;

beforeEach(async () => {
  const made = makeFolder();
  remove = made.remove;
  project = await startProject(made.folder);
  await advance(project.open(), project.runId, 5);
});
afterEach(() => remove());

async function repair(): Promise<Repaired> {
  const repaired = await operations.repair.run(project.open(), { run: project.runId });
  if (!repaired.ok) throw new Error(repaired.refusal.code);
  return repaired.value;
}

function edit(change: (lines: string[]) => string[]): () => void {
  return () => writeLines(project.journal, change(linesOf(project.journal)));
}

async function lastEvents() {
  return (await readAll(project.open().store.read(project.runId))).at(-1)?.events;
}

const original = "journal.broken-20260101T000000000Z.jsonl";

/** What was done to a journal of six commits, how many of them can be saved, how many lines are lost, and what is said. */
const damages: readonly [string, () => void, number, number, string][] = [
  [
    "an edited line",
    edit((lines) => lines.with(3, (lines[3] ?? "").replace("better", "bitter"))),
    3,
    3,
    "line 4: its content does not match its hash",
  ],
  [
    "an edited line whose hash was made to fit",
    edit((lines) => lines.with(3, forged(lines[2] ?? ""))),
    4,
    2,
    "line 5: an earlier line was changed after it was written",
  ],
  ["a deleted line", edit((lines) => lines.toSpliced(2, 1)), 2, 3, "line 3: version 4 follows version 2"],
  [
    "lines in another order",
    edit(([a = "", b = "", c = "", ...l]) => [a, c, b, ...l]),
    1,
    5,
    "line 2: version 3 follows version 1",
  ],
  ["a line of nonsense", edit((lines) => lines.toSpliced(5, 0, "nonsense")), 5, 2, "line 6: it is not a commit"],
  [
    "a line that is not whole any more",
    edit((lines) => lines.with(2, (lines[2] ?? "").slice(0, -9))),
    2,
    4,
    "line 3: a part of it is missing",
  ],
  [
    "binary garbage behind the last line",
    () => writeFileSync(project.journal, Buffer.from([0, 1, 255]), { flag: "a" }),
    6,
    1,
    "line 7: it is not a commit",
  ],
  [
    "a line without an end",
    () => truncateSync(project.journal, 150_000_000),
    6,
    1,
    "line 7: it is longer than any commit",
  ],
  ["garbage right behind a commit", edit((lines) => lines.with(1, `${lines[1]}#`)), 2, 5, "line 2: it is not a commit"],
];

function forged(previous: string): string {
  const { hash } = JSON.parse(previous);
  return writeLine({ version: 4, prev: hash, writer: "w", events: [noted(9, "forged")] })
    .bytes.toString()
    .trimEnd();
}

describe("a damaged journal", () => {
  test.each(damages)(
    "with %s is saved up to there, and its run goes on",
    async (_name, damage, commits, lost, problem) => {
      damage();
      const before = readFileSync(project.journal);
      await expect(operations.log.run(project.open(), { run: project.runId })).rejects.toMatchObject({
        code: "journal-corrupt",
        next: `holdfast repair ${project.runId}`,
      });
      const beginning = (await readSound(commits)).map(({ id }) => id);

      expect(await repair()).toEqual({
        runId: project.runId,
        repaired: true,
        commits,
        lost,
        torn: 0,
        problem,
        original,
      });
      expect(readFileSync(project.at(original)).equals(before)).toBe(true);
      expect(before.subarray(0, readFileSync(project.journal).length).equals(readFileSync(project.journal))).toBe(
        false,
      );

      const after = await readAll(project.open().store.read(project.runId));
      expect(after.slice(0, -1).map(({ id }) => id)).toEqual(beginning);
      expect(after.at(-1)?.events).toEqual([
        expect.objectContaining({ type: "journal-repaired", kept: commits, lost, original, by: expect.any(String) }),
      ]);
      await advance(project.open(), project.runId, 2);
      expect((await project.open().journal.load(project.runId))?.version).toBe(commits + 3);
    },
  );

  async function readSound(count: number) {
    const commits = [];
    for await (const commit of project.open().store.read(project.runId)) {
      commits.push(commit);
      if (commits.length === count) break;
    }
    return commits;
  }

  test("is sound after its repair: another one changes nothing", async () => {
    edit((lines) => lines.toSpliced(2, 1))();
    await repair();
    const bytes = readFileSync(project.journal);
    const files = readdirSync(project.at(""));
    expect(await repair()).toMatchObject({ repaired: false, commits: 3, lost: 0, problem: null, original: null });
    expect(readFileSync(project.journal)).toEqual(bytes);
    expect(readdirSync(project.at(""))).toEqual(files);
  });

  test("that is damaged again in the same moment keeps both originals", async () => {
    edit((lines) => lines.toSpliced(4, 1))();
    await repair();
    edit((lines) => lines.toSpliced(2, 1))();
    expect((await repair()).original).toBe("journal.broken-20260101T000000000Z-2.jsonl");
    expect(existsSync(project.at(original))).toBe(true);
    expect((await lastEvents())?.[0]).toMatchObject({ kept: 2, lost: 2 });
  });

  test("that two people repair at once is repaired once", async () => {
    edit((lines) => lines.toSpliced(2, 1))();
    const root = join(project.folder, ".holdfast", "runs");
    const damage = inspectJournal(root, project.runId)?.damage;
    expect(await repair()).toMatchObject({ repaired: true, commits: 2, lost: 3 });
    const bytes = readFileSync(project.journal);
    const late = { stamp: "20260101T000000001Z", record: () => [noted(9, "late")] };
    expect(damage && cutJournal(root, project.runId, damage, late)).toBeNull();
    expect(readFileSync(project.journal)).toEqual(bytes);
  });

  test("whose very first line is damaged leaves no run, but all of its bytes", async () => {
    edit((lines) => ["{}", ...lines])();
    const before = readFileSync(project.journal);
    expect(await repair()).toMatchObject({ repaired: true, commits: 0, lost: 7, original });
    expect(readFileSync(project.at(original))).toEqual(before);
    expect(await project.open().store.list()).toEqual([]);
    expect(await project.open().journal.load(project.runId)).toBeNull();
    expect((await operations.runs.run(project.open(), {})).ok).toBe(true);
  });

  test("of a newer version is left alone", async () => {
    edit((lines) => [...lines, '{"format":3,"what":"ever"}'])();
    const before = readFileSync(project.journal);
    await expect(repair()).rejects.toMatchObject({ code: "format-newer", data: { format: 3 } });
    expect(readFileSync(project.journal)).toEqual(before);
  });

  test("of a run that has ended is repaired like any other, as often as it needs to be", async () => {
    await operations.advance.run(project.open(), { run: project.runId, output: "no use", failed: true });
    const ended = (await project.open().journal.load(project.runId))?.run.status;
    for (let n = 0; n < 2; n++) {
      writeFileSync(project.journal, "garbage", { flag: "a" });
      expect((await repair()).lost).toBe(1);
    }
    const standing = await project.open().journal.load(project.runId);
    expect(standing?.run.status).toBe(ended);
    const log = await operations.log.run(project.open(), { run: project.runId });
    const numbers = log.ok ? log.value.events.map(({ seq }) => seq) : [];
    expect(numbers).toEqual(numbers.map((_, index) => index + 1));
  });
});

describe("a sound journal", () => {
  test("is not changed by a repair", async () => {
    const bytes = readFileSync(project.journal);
    const files = readdirSync(project.at(""));
    expect(await repair()).toEqual({
      runId: project.runId,
      repaired: false,
      commits: 6,
      lost: 0,
      torn: 0,
      problem: null,
      original: null,
    });
    expect(readFileSync(project.journal)).toEqual(bytes);
    expect(readdirSync(project.at(""))).toEqual(files);
  });

  test("is not changed by a repair where crashes have left lines that were cut off, but they are counted", async () => {
    const [last = ""] = linesOf(project.journal).slice(-1);
    writeFileSync(project.journal, last.slice(0, 60), { flag: "a" });
    await advance(project.open(), project.runId);
    writeFileSync(project.journal, last.slice(0, 70), { flag: "a" });
    const bytes = readFileSync(project.journal);
    expect(await repair()).toMatchObject({ repaired: false, commits: 7, torn: 2 });
    expect(readFileSync(project.journal)).toEqual(bytes);
  });
});

test("there is nothing to repair in a run that is not there", async () => {
  for (const run of ["nothing-20260101_000000-ab12", "../../etc", ""]) {
    expect(await operations.repair.run(project.open(), { run })).toMatchObject({
      ok: false,
      refusal: { code: "run-unknown" },
    });
  }
});
