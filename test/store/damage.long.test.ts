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
import { dirname, join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import type { RunEvent } from "../../src/model/event.ts";
import { type AppendFiles, appendFiles } from "../../src/platform/append-file.ts";
import { createFileStore } from "../../src/store/file-store.ts";
import { journalPath } from "../../src/store/journal-file.ts";
import { writeLine } from "../../src/store/journal-line.ts";
import { type Commit, readAll, type Store } from "../../src/store/store.ts";
import { times } from "../dose.ts";
import { linesOf, makeFolder, makePipe, noted, run, writeLines } from "./project.ts";
import { bundleWorker, startWorker } from "./worker.ts";

let folder: string;
let remove: () => void;
let root: string;
let path: string;
/** The journal as it was written, and what it says. */
let bytes: Buffer;
let history: Commit[];

beforeEach(async () => {
  ({ folder, remove } = makeFolder());
  root = join(folder, "runs");
  path = journalPath(root, run);
  const store = open();
  for (let n = 0; n < 4; n++) await store.append(run, n, [noted(n + 1, `n${n} é`)]);
  bytes = readFileSync(path);
  history = await read();
});
afterEach(() => remove());

/** Flushing is for power cuts; what is tried a thousand times here leaves it out. */
const unflushed: AppendFiles = {
  ...appendFiles,
  open(file, how) {
    const opened = appendFiles.open(file, how);
    return opened === null ? null : { ...opened, flush() {} };
  },
};

function open(): Store {
  return createFileStore(root, unflushed);
}

/** What a new process reads. */
function read(): Promise<Commit[]> {
  return readAll(open().read(run));
}

/** What a new process reads, or how it is refused. */
async function outcome(): Promise<unknown> {
  return read().then(
    (commits) => commits.map(({ id }) => id),
    (error) => ({ code: error.code, ...error.data }),
  );
}

function ids(commits: readonly Commit[] = history): string[] {
  return commits.map(({ id }) => id);
}

function corrupt(line: number, problem: unknown = expect.any(String)) {
  return { code: "journal-corrupt", run, line, problem };
}

/** Where each line of the sound journal begins, and where the last one ends. */
function starts(): number[] {
  return [0, ...[...bytes.entries()].flatMap(([index, byte]) => (byte === 0x0a ? [index + 1] : []))];
}

function lineOf(position: number): number {
  return starts().filter((start) => start <= position).length;
}

/** A line that another writer would have written behind the third commit. */
function rivalLine(events: readonly RunEvent[] = [noted(4, "rival")]): Buffer {
  return writeLine({ version: 4, prev: history[2]?.id ?? "", writer: "rival", events }).bytes;
}

/** Two appends by one new process, and one by another; all of them must be there afterwards. */
async function expectToGoOn(): Promise<void> {
  const before = await read();
  const store = open();
  const first = await store.append(run, before.length, [noted(90, "first")]);
  const second = await store.append(run, first.version, [noted(91, "second")]);
  const third = await open().append(run, second.version, [noted(92, "third")]);
  expect(await read()).toEqual([...before, first, second, third]);
}

/** Every byte in the long tier. */
const stride = times({ quick: 7, long: 1, soak: 1 });

describe("a line that was cut off", () => {
  test("is passed over wherever it was cut, and the run goes on behind it", async () => {
    const [start = 0, end = 0] = starts().slice(-2);
    for (let cut = start; cut < end; cut += stride) {
      writeFileSync(path, bytes.subarray(0, cut));
      // Only the line end is missing there: the commit is whole.
      expect(await read(), `cut at ${cut - start}`).toEqual(cut === end - 1 ? history : history.slice(0, 3));
      await expectToGoOn();
    }
  });

  test("is passed over where another writer's line stands right behind it, wherever it was cut", async () => {
    const [start = 0, end = 0] = starts().slice(-2);
    const rival = rivalLine();
    for (let cut = start; cut < end; cut += stride) {
      writeFileSync(path, Buffer.concat([bytes.subarray(0, cut), rival]));
      const last = cut === end - 1 ? "n3 é" : "rival";
      const commits = await read();
      expect(commits.slice(0, 3)).toEqual(history.slice(0, 3));
      expect(commits.slice(3).map(({ events }) => events)).toEqual([[noted(4, last)]]);
    }
    await expectToGoOn();
  });

  test("is passed over behind another one that was cut off, with or without a line between them", async () => {
    const [start = 0, end = 0] = starts().slice(-2);
    const rival = rivalLine();
    for (let cut = start; cut < end - 1; cut += 7 * stride) {
      for (const second of [3, 40, 150, rival.length - 2]) {
        for (const between of ["", "\n"]) {
          writeFileSync(path, Buffer.concat([bytes.subarray(0, cut), Buffer.from(between), rival.subarray(0, second)]));
          expect(await outcome(), `cut at ${cut - start} and ${second}`).toEqual(ids().slice(0, 3));
        }
      }
    }
    await expectToGoOn();
  });

  test("may hold values that look like the opening of a line", async () => {
    const event: RunEvent = {
      seq: 1,
      at: "2026-01-01T00:00:00.000Z",
      type: "run-started",
      runId: run,
      workflow: "sample",
      workflowType: "custom",
      worktree: null,
      templateHash: `sha256:${"0".repeat(64)}`,
      summary: null,
      variables: { format: 1, version: 4, size: 30, prev: "" },
    };
    const line = rivalLine([event]);
    const before = bytes.subarray(0, starts()[3]);
    for (let cut = 1; cut < line.length - 1; cut += stride) {
      writeFileSync(path, Buffer.concat([before, line.subarray(0, cut), line]));
      expect((await read()).map(({ events }) => events).slice(3), `cut at ${cut}`).toEqual([[event]]);
    }
    await expectToGoOn();
  });

  test("is no run of its own: a run whose very first line was cut off is not listed", async () => {
    writeFileSync(path, bytes.subarray(0, 50));
    expect(await open().list()).toEqual([]);
    expect(await read()).toEqual([]);
    await open().append(run, 0, [noted(1, "one")]);
    expect(await open().list()).toEqual([run]);
  });
});

describe("a byte that was changed", () => {
  test("is refused with its line, whichever byte it was", async () => {
    for (let position = 0; position < bytes.length; position += stride) {
      for (const bit of [0, 5, 7]) {
        const changed = Buffer.from(bytes);
        changed[position] = (bytes[position] ?? 0) ^ (1 << bit);
        writeFileSync(path, changed);
        expect(await outcome(), `bit ${bit} of byte ${position}`).toEqual(corrupt(lineOf(position)));
      }
    }
  });

  test("is refused with its line, or looks as if a crash had cut off the last one, when it is left out", async () => {
    const [last = 0] = starts().slice(-2);
    for (let position = 0; position < bytes.length; position += stride) {
      writeFileSync(path, Buffer.concat([bytes.subarray(0, position), bytes.subarray(position + 1)]));
      const refused = corrupt(lineOf(position));
      const answers = position < last ? [refused] : [refused, ids().slice(0, 3)];
      // A commit is whole without its line end.
      expect(bytes[position] === 0x0a ? [ids()] : answers, `without byte ${position}`).toContainEqual(await outcome());
    }
  });

  test("is refused with its line, or changes nothing, when it is one too many", async () => {
    for (let position = 0; position <= bytes.length; position += stride) {
      for (const byte of ["{", "\n", "\r"]) {
        writeFileSync(path, Buffer.concat([bytes.subarray(0, position), Buffer.from(byte), bytes.subarray(position)]));
        const answer = await outcome();
        const where = `${JSON.stringify(byte)} before byte ${position}`;
        if (Array.isArray(answer)) expect([ids(), ids().slice(0, 3)], where).toContainEqual(answer);
        else expect([corrupt(lineOf(position)), corrupt(lineOf(position) + 1)], where).toContainEqual(answer);
      }
    }
  });

  test("in a line whose hash was made to fit is noticed by the next line", async () => {
    const lines = linesOf(path);
    const forged = writeLine({ version: 2, prev: history[0]?.id ?? "", writer: "w", events: [noted(2, "forged")] });
    writeLines(path, [lines[0] ?? "", forged.bytes.toString().trimEnd(), ...lines.slice(2)]);
    expect(await outcome()).toEqual(corrupt(3, "an earlier line was changed after it was written"));
  });
});

describe("a line that was", () => {
  const edits: readonly [string, (lines: string[]) => string[], () => unknown][] = [
    ["deleted is missed by the next one", (l) => l.toSpliced(1, 1), () => corrupt(2, "version 3 follows version 1")],
    ["deleted at the beginning is missed", (l) => l.slice(1), () => corrupt(1, "version 2 follows version 0")],
    ["swapped with another is refused", ([a = "", b = "", ...l]) => [b, a, ...l], () => corrupt(1)],
    ["written twice counts once", ([a = "", ...l]) => [a, a, ...l, a], () => ids()],
    ["inserted with nonsense is refused", (l) => l.toSpliced(2, 0, "hello"), () => corrupt(3, "it is not a commit")],
    ["inserted with JSON of another kind is refused", (l) => l.toSpliced(2, 0, "{}"), () => corrupt(3)],
    ["inserted empty says nothing", (l) => l.toSpliced(2, 0, "", ""), () => ids()],
    ["ended in the manner of another system says the same", (l) => l.map((line) => `${line}\r`), () => ids()],
    ["indented is refused", (l) => l.map((line) => ` ${line}`), () => corrupt(1)],
    [
      "shortened in the middle is found by the next one",
      (l) => l.with(1, "{"),
      () => corrupt(2, "a part of it is missing"),
    ],
    ["written by a later version is not understood", (l) => [...l, '{"format":3,"what":"ever"}'], () => newer()],
    ["begun by a later version is not understood", (l) => [...l, '{"format":12,"wh'], () => newer(12)],
  ];

  test.each(edits)("%s", async (_name, edit, expected) => {
    writeLines(path, edit(linesOf(path)));
    expect(await outcome()).toEqual(expected());
    if (Array.isArray(expected())) await expectToGoOn();
    else await expect(open().append(run, 4, [noted(5, "five")])).rejects.toThrow(/journal of/);
  });

  function newer(format = 3) {
    return { code: "format-newer", file: `the journal of ${run}`, format };
  }

  test("longer than a commit can be is refused, and is not held in memory", async () => {
    for (const beginning of ["", '{"format":1,"version":5,"size":200000000,']) {
      writeFileSync(path, Buffer.concat([bytes, Buffer.from(beginning)]));
      truncateSync(path, 200_000_000);
      expect(await outcome()).toEqual(corrupt(5, "it is longer than any commit"));
      await expect(open().append(run, 4, [noted(5, "five")])).rejects.toThrow(/damaged in line 5/);
    }
  });

  test("announced to be longer than a commit can be was not cut off by a crash", async () => {
    writeFileSync(path, Buffer.concat([bytes, Buffer.from('{"format":1,"version":5,"size":200000000,"prev":"')]));
    expect(await outcome()).toEqual(corrupt(5));
  });
});

describe("a file that", () => {
  test("does not end with a line end has lost nothing", async () => {
    writeFileSync(path, bytes.subarray(0, -1));
    expect(await read()).toEqual(history);
    await expectToGoOn();
  });

  test("is empty is a run that never began", async () => {
    writeFileSync(path, "");
    expect(await read()).toEqual([]);
    expect(await open().list()).toEqual([]);
    await expectToGoOn();
  });

  test("holds binary garbage is refused", async () => {
    const garbage = Buffer.from(Array.from({ length: 5_000 }, (_, index) => (index * 89) % 256));
    writeFileSync(path, garbage);
    expect(await outcome()).toEqual(corrupt(1, "it is not a commit"));
    writeFileSync(path, Buffer.concat([bytes, garbage]));
    expect(await outcome()).toEqual(corrupt(5, "it is not a commit"));
    expect(await open().list()).toEqual([run]);
  });

  test.each([
    ["a folder", () => mkdirSync(path), "it is a folder"],
    ["a symbolic link", () => symlinkSync(join(folder, "elsewhere"), path), "it is a symbolic link"],
  ])("is %s is neither read nor written", async (_name, make, problem) => {
    copyFileSync(path, join(folder, "elsewhere"));
    rmSync(path);
    make();
    expect(await outcome()).toEqual({ code: "file-unreadable", file: path, problem });
    await expect(open().append(run, 4, [noted(5, "five")])).rejects.toMatchObject({
      code: "file-unwritable",
      data: { file: path, problem },
    });
    expect(await open().list()).toEqual([run]);
    expect(readFileSync(join(folder, "elsewhere"))).toEqual(bytes);
  });

  test("lies behind a link in the place of its folder is neither read nor written", async () => {
    const elsewhere = join(folder, "elsewhere");
    renameSync(dirname(path), elsewhere);
    symlinkSync(elsewhere, dirname(path));
    expect(await outcome()).toMatchObject({ code: "file-unreadable", problem: "it is a symbolic link" });
    await expect(open().append(run, 4, [noted(5, "five")])).rejects.toMatchObject({ code: "file-unwritable" });
    expect(readFileSync(join(elsewhere, "journal.jsonl"))).toEqual(bytes);
  });

  // Whoever opened it would wait for ever, so a process of its own tries.
  test.skipIf(process.platform === "win32")("is a pipe is neither read nor written", async () => {
    rmSync(path);
    makePipe(path);
    const program = await bundleWorker(folder, "racing-writer");
    for (const request of ["history", "1"]) {
      const worker = startWorker(program, [root, run, "ann"]);
      expect(await worker.line()).toBe("ready");
      worker.send(request);
      expect(await worker.end).toEqual([1, null]);
      expect(worker.complaints()).toContain(`${path}: it is not a regular file`);
    }
  });

  test("was put in the place of the one that this process knew is read anew", async () => {
    const store = open();
    await readAll(store.read(run));
    const other = join(root, "other");
    mkdirSync(other);
    // The same path, the same identity and at least the same length, but other lines.
    const elsewhere = createFileStore(other, unflushed);
    for (let n = 0; n < 5; n++) await elsewhere.append(run, n, [noted(n + 1, `other ${n} ${"x".repeat(n)}`)]);
    writeFileSync(path, readFileSync(journalPath(other, run)));
    await expect(store.append(run, 4, [noted(5, "five")])).rejects.toMatchObject({ code: "version-conflict" });
    const sixth = await store.append(run, 5, [noted(6, "six")]);
    expect(await read()).toEqual([...(await readAll(elsewhere.read(run))), sixth]);
  });
});
