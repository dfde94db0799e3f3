import { createHash } from "node:crypto";
import {
  copyFileSync,
  mkdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from "node:fs";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { operations } from "../../src/app/operations.ts";
import { createCheckedJournal } from "../../src/journal/checked-journal.ts";
import type { Standing } from "../../src/journal/run-journal.ts";
import { isLive } from "../../src/model/run-state.ts";
import type { Deps } from "../../src/operation/operation.ts";
import { advance, linesOf, makeFolder, makePipe, type Project, startProject, writeLines } from "../store/project.ts";

let project: Project;
let remove: () => void;

beforeEach(async () => {
  const made = makeFolder();
  remove = made.remove;
  project = await startProject(made.folder);
});
afterEach(() => remove());

/** The run as a new process loads it. */
function load(): Promise<Standing | null> {
  return project.open().journal.load(project.runId);
}

/** The run as the journal alone tells it. */
function foldAlone(): Promise<Standing | null> {
  const { store, files }: Deps = project.open();
  return createCheckedJournal(store, { ...files, read: async () => null, write() {} }).load(project.runId);
}

function snapshot(): string {
  return project.at("snapshot.json");
}

function signed(body: string): string {
  return `${body},"hash":"${createHash("sha256").update(body).digest("hex")}"}`;
}

/** The snapshot with its content changed, and a hash that fits. */
function forge(change: (text: string) => string): void {
  const text = readFileSync(snapshot(), "utf8");
  writeFileSync(snapshot(), signed(change(text).replace(/,"hash":"[0-9a-f]{64}"\}$/, "")));
}

describe("an older journal in the place of a newer one", () => {
  const rewound = { code: "journal-rewound", data: { found: 3, known: 6 } };
  let older: Buffer;

  beforeEach(async () => {
    await advance(project.open(), project.runId, 2);
    older = readFileSync(project.journal);
  });

  test("is noticed by a new process", async () => {
    for (let n = 0; n < 3; n++) await advance(project.open(), project.runId);
    writeFileSync(project.journal, older);
    await expect(load()).rejects.toMatchObject(rewound);
    await expect(advance(project.open(), project.runId)).rejects.toMatchObject(rewound);
    expect(readFileSync(project.journal)).toEqual(older);
  });

  test.each([
    ["written over the old one", () => writeFileSync(project.journal, older)],
    [
      "moved over it",
      () => {
        writeFileSync(`${project.journal}.copy`, older);
        renameSync(`${project.journal}.copy`, project.journal);
      },
    ],
  ])("is noticed by a process that knew the newer one, %s", async (_name, restore) => {
    const deps = project.open();
    await advance(deps, project.runId, 3);
    rmSync(snapshot());
    restore();
    await expect(advance(deps, project.runId)).rejects.toMatchObject(rewound);
    await expect(deps.journal.load(project.runId)).rejects.toMatchObject(rewound);
  });

  test("is noticed although others have gone on from it", async () => {
    const deps = project.open();
    await advance(deps, project.runId, 3);
    rmSync(snapshot());
    writeFileSync(project.journal, older);
    await advance(project.open(), project.runId, 5);
    await expect(deps.journal.load(project.runId)).rejects.toMatchObject({ data: { found: 8, known: 6 } });
  });

  test("is taken once a person has said so, by the process that knew the newer one too", async () => {
    const deps = project.open();
    await advance(deps, project.runId, 3);
    writeFileSync(project.journal, older);
    expect(await operations.repair.run(project.open(), { run: project.runId })).toEqual({
      ok: true,
      value: {
        runId: project.runId,
        repaired: true,
        commits: 3,
        lost: 3,
        torn: 0,
        problem: "the journal is older than its snapshot; the journal was accepted as it is",
        original: null,
      },
    });
    await advance(project.open(), project.runId);
    await advance(deps, project.runId);
    expect((await load())?.version).toBe(6);
    expect(await load()).toEqual(await foldAlone());
  });

  test("that is empty is noticed too, and forgotten once a person has said so", async () => {
    writeFileSync(project.journal, "");
    await expect(load()).rejects.toMatchObject({
      data: { found: 0, known: 3 },
      next: expect.stringMatching(/restore it from a backup, or give the run up/),
    });
    expect(await operations.repair.run(project.open(), { run: project.runId })).toMatchObject({
      ok: true,
      value: { commits: 0, lost: 3, problem: expect.stringMatching(/nothing of the run is in it$/) },
    });
    expect(await load()).toBeNull();
  });
});

describe("a snapshot that is not one", () => {
  const others: readonly [string, () => void][] = [
    ["empty", () => writeFileSync(snapshot(), "")],
    ["cut off", () => truncateSync(snapshot(), 100)],
    ["binary", () => writeFileSync(snapshot(), Buffer.from([0, 255, 254, 10, 0]))],
    ["JSON of another kind", () => writeFileSync(snapshot(), signed('{"format":1'))],
    ["nested without end", () => writeFileSync(snapshot(), signed(`{"format":1,"run":${"[".repeat(100_000)}`))],
    ["of a later version", () => forge((text) => text.replace('"format":1', '"format":2'))],
    ["with keys of its own", () => forge((text) => text.replace('"left":', '"__proto__":{"x":1},"left":'))],
    ["edited", () => writeFileSync(snapshot(), readFileSync(snapshot(), "utf8").replace("running", "waiting"))],
    ["far too long", () => truncateSync(snapshot(), 3_000_000_000)],
    ["a folder", () => replaced(() => mkdirSync(snapshot()))],
    ["a link", () => replaced(() => symlinkSync(project.journal, snapshot()))],
    ["a pipe", () => replaced(() => makePipe(snapshot()))],
  ];

  function replaced(make: () => void): void {
    rmSync(snapshot());
    make();
  }

  test.each(others)("but %s is ignored", async (_name, spoil) => {
    await advance(project.open(), project.runId, 2);
    const before = await load();
    spoil();
    expect(await load()).toEqual(before);
    await advance(project.open(), project.runId);
    expect((await load())?.version).toBe(4);
  });

  test("but another run's is ignored", async () => {
    const other = await operations.start.run(project.open(), { workflow: "polish", another: true });
    if (!other.ok) throw new Error(other.refusal.code);
    copyFileSync(project.at("snapshot.json").replace(project.runId, other.value.runId), snapshot());
    expect((await load())?.run.runId).toBe(project.runId);
  });

  test("but speaks of commits that never were makes the run refuse, and never another history", async () => {
    await advance(project.open(), project.runId, 2);
    forge((text) => text.replace('"version":3', '"version":99'));
    await expect(load()).rejects.toMatchObject({ code: "journal-rewound", data: { found: 3, known: 99 } });
  });

  test("but tells another state than a short journal has no say in it", async () => {
    await advance(project.open(), project.runId);
    forge((text) => text.replace('"status":"running"', '"status":"waiting"'));
    expect((await load())?.run.status).toBe("running");
  });
});

describe("a long journal", () => {
  const tasks = Array.from({ length: 150 }, (_, index) => ({ id: `t${index}`, title: `Part ${index}` }));

  beforeEach(async () => {
    const deps = project.open();
    await operations.tasks.run(deps, { run: project.runId, loop: "parts", tasks });
    await advance(deps, project.runId, 300);
  });

  test("is folded from its snapshot on, with the tasks that only the journal has", async () => {
    const kept = JSON.parse(readFileSync(snapshot(), "utf8"));
    expect(kept.version).toBeGreaterThanOrEqual(256);
    expect([kept.left, kept.run.loops.parts.tasks]).toEqual([["parts"], []]);
    const standing = await load();
    expect(standing?.run.loops.parts?.tasks).toEqual(tasks);
    expect(standing).toEqual(await foldAlone());
  });

  test("is not checked before its snapshot by a load, but by whoever reads it whole", async () => {
    const lines = linesOf(project.journal);
    writeLines(project.journal, lines.with(9, (lines[9] ?? "").replace("better", "bitter")));
    const { run } = (await load()) ?? {};
    expect(run !== undefined && isLive(run) && run.visits).toHaveLength(1);
    const refused = { code: "journal-corrupt", data: { line: 10 } };
    await expect(operations.log.run(project.open(), { run: project.runId })).rejects.toMatchObject(refused);
  });

  test("is folded from a snapshot that does not say yet whether the run has ended", async () => {
    forge((text) => text.replace('"ended":false,', ""));
    const lines = linesOf(project.journal);
    writeLines(project.journal, lines.with(9, (lines[9] ?? "").replace("better", "bitter")));
    expect((await load())?.run.status).toBe("running");
  });

  test("that has lost the tasks which the snapshot leaves out is refused", async () => {
    writeLines(project.journal, linesOf(project.journal).toSpliced(1, 1));
    await expect(load()).rejects.toMatchObject({ code: "journal-corrupt", data: { line: 2 } });
  });

  test("that was cut back behind its snapshot is noticed", async () => {
    const { version } = JSON.parse(readFileSync(snapshot(), "utf8"));
    writeLines(project.journal, linesOf(project.journal).slice(0, version - 1));
    await expect(load()).rejects.toMatchObject({
      code: "journal-rewound",
      data: { found: version - 1, known: version },
    });
  });
});
