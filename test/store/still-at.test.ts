import {
  appendFileSync,
  copyFileSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { setTimeout } from "node:timers/promises";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { type AppendFile, type AppendFiles, appendFiles } from "../../src/platform/append-file.ts";
import { createFileStore } from "../../src/store/file-store.ts";
import { journalPath } from "../../src/store/journal-file.ts";
import { type Commit, readAll, type Store } from "../../src/store/store.ts";
import { makeFolder, noted, run } from "./project.ts";

let folder: string;
let remove: () => void;
let root: string;
let path: string;

beforeEach(() => {
  ({ folder, remove } = makeFolder());
  root = join(folder, "runs");
  path = journalPath(root, run);
});
afterEach(() => remove());

/** A store that has written three commits, and one that has only read them. */
async function makeStores(): Promise<{ writer: Store; reader: Store; last: Commit }> {
  const writer = createFileStore(root);
  for (let n = 0; n < 2; n++) await writer.append(run, n, [noted(n + 1, `n${n}`)]);
  const last = await writer.append(run, 2, [noted(3, "the last one")]);
  const reader = createFileStore(root);
  await readAll(reader.read(run));
  return { writer, reader, last };
}

/** The same bytes but for one letter of the last commit, whose hash stays as it was. */
function edited(): Buffer {
  const text = readFileSync(path, "latin1");
  return Buffer.from(text.replace("the last one", "the lost one"), "latin1");
}

describe("that a run is still where it was", () => {
  test("is seen by who wrote it and by who read it", async () => {
    const { writer, reader, last } = await makeStores();
    expect(await writer.isStillAt(run, last)).toBe(true);
    expect(await reader.isStillAt(run, last)).toBe(true);
    expect(await createFileStore(root).isStillAt(run, last)).toBe(false);
  });

  const changes: readonly [string, () => void][] = [
    ["another process went on", () => appendFileSync(path, "\n")],
    ["its journal was cut back", () => truncateSync(path, 300)],
    ["its last commit was edited in place", () => writeFileSync(path, edited())],
    ["its journal is gone", () => rmSync(path)],
    [
      "another file took the place of its journal, with the same bytes",
      () => {
        copyFileSync(path, `${path}.copy`);
        renameSync(`${path}.copy`, path);
      },
    ],
  ];

  test.each(changes)("is not said once %s", async (_name, change) => {
    const { writer, reader, last } = await makeStores();
    change();
    expect(await writer.isStillAt(run, last)).toBe(false);
    expect(await reader.isStillAt(run, last)).toBe(false);
  });

  test("is not said once its journal is a link", async () => {
    const { writer, reader, last } = await makeStores();
    renameSync(path, join(folder, "elsewhere"));
    symlinkSync(join(folder, "elsewhere"), path);
    expect(await writer.isStillAt(run, last)).toBe(false);
    await expect(reader.isStillAt(run, last)).rejects.toMatchObject({ code: "file-unreadable" });
  });

  test("is seen anew after another store went on and this one has read it", async () => {
    const { writer, reader, last } = await makeStores();
    const next = await writer.append(run, 3, [noted(4, "four")]);
    expect(await reader.isStillAt(run, last)).toBe(false);
    await readAll(reader.read(run, last));
    expect(await reader.isStillAt(run, next)).toBe(true);
  });

  test("is not told at once of a very long commit, which nobody holds in memory", async () => {
    const { writer } = await makeStores();
    const long = await writer.append(run, 3, [noted(4, "x".repeat(100_000))]);
    expect(await writer.isStillAt(run, long)).toBe(false);
    const next = await writer.append(run, 4, [noted(5, "five")], long);
    expect(await writer.isStillAt(run, next)).toBe(true);
  });
});

describe("an append by a process that has not read the journal", () => {
  /** How many bytes a store reads for what is done with it. */
  async function bytesRead(act: (store: Store) => Promise<unknown>): Promise<number> {
    let bytes = 0;
    const counted = (file: AppendFile | null): AppendFile | null =>
      file && {
        ...file,
        read(position, length) {
          const read = file.read(position, length);
          bytes += read.length;
          return read;
        },
      };
    const files: AppendFiles = {
      open: (at, how) => counted(appendFiles.open(at, how)),
      openForReading: (at) => counted(appendFiles.openForReading(at)),
    };
    await act(createFileStore(root, files));
    return bytes;
  }

  async function grow(from: number, to: number): Promise<Commit> {
    const unflushed: AppendFiles = {
      ...appendFiles,
      open(at, how) {
        const file = appendFiles.open(at, how);
        return file && { ...file, flush() {} };
      },
    };
    const store = createFileStore(root, unflushed);
    let last: Commit | undefined;
    for (let n = from; n < to; n++) last = await store.append(run, n, [noted(n + 1, "as long as the others")]);
    if (last === undefined) throw new Error("nothing was appended");
    return last;
  }

  test("reads no more of a long journal than of a shorter one when it is told what it builds on", async () => {
    const short = await grow(0, 200);
    const few = await bytesRead((store) => store.append(run, 200, [noted(201, "mine")], short));
    const long = await grow(201, 2_000);
    const many = await bytesRead((store) => store.append(run, 2_000, [noted(2_001, "mine")], long));
    expect(many).toBeLessThan(few + 1_000);
    expect(await bytesRead((store) => store.append(run, 2_001, [noted(2_002, "mine")]))).toBeGreaterThan(10 * many);
  });

  test("is refused where what it builds on is not the last commit, and finds it however wrong the hint is", async () => {
    const second = await grow(0, 2);
    const fifth = await grow(2, 5);
    const refused = { code: "version-conflict" };
    await expect(createFileStore(root).append(run, 2, [noted(3, "late")], second)).rejects.toMatchObject(refused);
    const other = { id: second.id, place: fifth.place };
    await expect(createFileStore(root).append(run, 5, [noted(6, "mine")], other)).rejects.toMatchObject(refused);
    for (const [index, place] of [second.place, 0, 13, -1, 1e12, Number.NaN].entries()) {
      const store = createFileStore(root);
      const last = (await readAll(createFileStore(root).read(run))).at(-1);
      const commit = await store.append(run, 5 + index, [noted(6 + index, "mine")], { id: last?.id ?? "", place });
      expect(commit.version).toBe(6 + index);
    }
    expect(await readAll(createFileStore(root).read(run))).toHaveLength(11);
  });
});

describe("the list of runs", () => {
  const other = "other-20260101_000000-cd34";

  test("shows a run that came and one that went, by whomever, however often it was looked at", async () => {
    const { writer, reader } = await makeStores();
    for (let n = 0; n < 3; n++) expect(await reader.list()).toEqual([run]);
    // A folder that has just changed is read every time; after this it is not.
    await setTimeout(200);
    for (let n = 0; n < 3; n++) expect(await reader.list()).toEqual([run]);
    await writer.append(other, 0, [noted(1, "one")]);
    for (let n = 0; n < 3; n++) expect(await reader.list()).toEqual([other, run]);
    rmSync(join(root, run), { recursive: true });
    for (let n = 0; n < 3; n++) expect(await reader.list()).toEqual([other]);
  });

  test("shows a run only once its first commit is there", async () => {
    const { reader } = await makeStores();
    const line = readFileSync(path).subarray(0, readFileSync(path).indexOf("\n") + 1);
    const late = createFileStore(root);
    await late.append(other, 0, [noted(1, "one")]);
    writeFileSync(journalPath(root, other), "");
    expect(await reader.list()).toEqual([run]);
    writeFileSync(journalPath(root, other), line);
    expect(await reader.list()).toEqual([other, run]);
  });
});
