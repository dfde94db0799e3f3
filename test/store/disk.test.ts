import { chmodSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { operations } from "../../src/app/operations.ts";
import { createCheckedJournal } from "../../src/journal/checked-journal.ts";
import type { Deps } from "../../src/operation/operation.ts";
import { type AppendFile, type AppendFiles, appendFiles } from "../../src/platform/append-file.ts";
import { createFileStore } from "../../src/store/file-store.ts";
import { journalPath } from "../../src/store/journal-file.ts";
import { type Commit, readAll, type Store } from "../../src/store/store.ts";
import { advance, makeFolder, noted, run, startProject } from "./project.ts";
import { bundleWorker, startWorker } from "./worker.ts";

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

/** What goes wrong from now on: each call may do something else than the disk would. */
interface Faults {
  open?: () => never;
  read?: (file: AppendFile, position: number, length: number) => Uint8Array;
  write?: (file: AppendFile, bytes: Uint8Array) => number;
  flush?: () => void;
}

function faulty(faults: Faults): AppendFiles {
  const wrap = (file: AppendFile | null): AppendFile | null =>
    file && {
      ...file,
      read: (position, length) => (faults.read ?? readPlainly)(file, position, length),
      write: (bytes) => (faults.write === undefined ? file.write(bytes) : faults.write(file, bytes)),
      flush: () => (faults.flush === undefined ? file.flush() : faults.flush()),
    };
  return {
    open: (at, how) => wrap(faults.open === undefined ? appendFiles.open(at, how) : faults.open()),
    openForReading: (at) => wrap(appendFiles.openForReading(at)),
  };
}

function readPlainly(file: AppendFile, position: number, length: number): Uint8Array {
  return file.read(position, length);
}

function fail(code: string, syscall: string): never {
  throw Object.assign(new Error(`${code}: ${syscall}`), { code, syscall });
}

/** What a new process reads. */
function read(): Promise<Commit[]> {
  return readAll(createFileStore(root).read(run));
}

/** A store with two commits, and the faults that it will have. */
async function makeStore(): Promise<{ store: Store; faults: Faults; before: Commit[] }> {
  const faults: Faults = {};
  const store = createFileStore(root, faulty(faults));
  await store.append(run, 0, [noted(1, "one")]);
  await store.append(run, 1, [noted(2, "two")]);
  return { store, faults, before: await read() };
}

function unwritable(problem: string) {
  return {
    code: "file-unwritable",
    message: `cannot write ${path}: ${problem}; nothing was changed`,
    next: "free some space or grant write access, then try again",
  };
}

describe("a write that fails", () => {
  test("half-way, at whatever byte, leaves the run at its last commit, and the next append works", async () => {
    const { store, faults, before } = await makeStore();
    const length = statSync(path).size / 2;
    let version = 2;
    for (let written = 0; written < length - 8; written += 5) {
      faults.write = (file, bytes) => file.write(bytes.subarray(0, written));
      const append = () => store.append(run, version, [noted(3, "three")]);
      await expect(append(), `after ${written} bytes`).rejects.toMatchObject(unwritable("the disk is full"));
      expect(await read()).toEqual(before);
      delete faults.write;
      before.push(await append());
      version += 1;
      expect(await read()).toEqual(before);
    }
    before.push(await createFileStore(root).append(run, version, [noted(4, "four")]));
    expect(await read()).toEqual(before);
  });

  test("at the line end only has written the commit", async () => {
    const { store, faults, before } = await makeStore();
    faults.write = (file, bytes) => file.write(bytes.subarray(0, -1));
    before.push(await store.append(run, 2, [noted(3, "three")]));
    before.push(await store.append(run, 3, [noted(4, "four")]));
    delete faults.write;
    before.push(await store.append(run, 4, [noted(5, "five")]));
    expect(await read()).toEqual(before);
  });

  test.each([
    ["ENOSPC", "the disk is full"],
    ["EDQUOT", "the disk quota is used up"],
    ["EFBIG", "it would become too large"],
    ["EIO", "the disk reports an error"],
  ])("with %s leaves the run at its last commit, and the next append works", async (code, problem) => {
    const { store, faults, before } = await makeStore();
    const bytes = readFileSync(path);
    faults.write = () => fail(code, "write");
    await expect(store.append(run, 2, [noted(3, "three")])).rejects.toMatchObject(unwritable(problem));
    expect(readFileSync(path)).toEqual(bytes);
    delete faults.write;
    before.push(await store.append(run, 2, [noted(3, "three")]));
    expect(await read()).toEqual(before);
  });

  test("on a disk that is read-only leaves everything readable", async () => {
    const { before } = await makeStore();
    const store = createFileStore(root, faulty({ open: () => fail("EROFS", "open") }));
    await expect(store.append(run, 2, [noted(3, "three")])).rejects.toMatchObject(unwritable("the disk is read-only"));
    expect(await readAll(store.read(run))).toEqual(before);
    expect(await store.list()).toEqual([run]);
  });

  test("before the first commit is no run", async () => {
    const store = createFileStore(root, faulty({ write: () => fail("ENOSPC", "write") }));
    await expect(store.append(run, 0, [noted(1, "one")])).rejects.toMatchObject(unwritable("the disk is full"));
    expect(await createFileStore(root).list()).toEqual([]);
    await createFileStore(root).append(run, 0, [noted(1, "one")]);
    expect(await createFileStore(root).list()).toEqual([run]);
  });

  test("because the commit is too long for one line changes nothing", async () => {
    const { store, before } = await makeStore();
    const events = Array.from({ length: 70 }, (_, n) => noted(n + 3, "x".repeat(1_000_000)));
    await expect(store.append(run, 2, events)).rejects.toMatchObject(unwritable("the commit is too long for one line"));
    expect(await read()).toEqual(before);
  });

  // The system really cuts this write off: the file may not grow beyond some blocks.
  test.skipIf(process.platform === "win32")(
    "because the file may not grow loses nothing that came before",
    async () => {
      const program = await bundleWorker(folder, "racing-writer");
      const worker = startWorker(program, [root, run, "ann ".repeat(50)], "ulimit -f 8");
      expect(await worker.line()).toBe("ready");
      for (let version = 1; version <= 100; version++) worker.send(String(version));
      expect((await worker.end)[0]).toBe(1);
      expect(worker.complaints()).toContain(`cannot write ${path}: `);
      const acknowledged = (await worker.rest()).map((line) => line.slice("won ".length));
      const commits = await read();
      expect(commits.map(({ id }) => id)).toEqual(acknowledged);
      expect(acknowledged.length).toBeGreaterThan(5);
      const next = await createFileStore(root).append(run, commits.length, [noted(99, "next")]);
      expect(await read()).toEqual([...commits, next]);
    },
  );
});

describe("a commit that was written but could not be made sure", () => {
  // It is in the file for all to see, and cannot be taken back without a lock.
  const afterwards: readonly [string, Faults, object][] = [
    ["flushed", { flush: () => fail("EIO", "fdatasync") }, { code: "file-unwritable" }],
    ["read back", failingReadBack(), { code: "file-unreadable" }],
  ];

  test.each(afterwards)(
    "because it could not be %s is said to have failed, and is found by the next look",
    async (...row) => {
      const [, trouble, refusal] = row;
      const { store, faults, before } = await makeStore();
      Object.assign(faults, trouble);
      await expect(store.append(run, 2, [noted(3, "three")])).rejects.toMatchObject(refusal);
      for (const name of ["flush", "read", "write"] as const) delete faults[name];
      const after = await readAll(store.read(run));
      expect(after.slice(0, 2)).toEqual(before);
      expect(after.slice(2).map(({ events }) => events)).toEqual([[noted(3, "three")]]);
      await expect(store.append(run, 2, [noted(3, "three")])).rejects.toMatchObject({ code: "version-conflict" });
      after.push(await store.append(run, 3, [noted(4, "four")]));
      expect(await read()).toEqual(after);
    },
  );

  function failingReadBack(): Faults {
    let written = false;
    return {
      write: (file, bytes) => {
        written = true;
        return file.write(bytes);
      },
      read: (file, position, length) => (written ? fail("EIO", "read") : file.read(position, length)),
    };
  }

  test("is not done twice by an agent that tries again", async () => {
    const { runId, token, open } = await startProject(folder);
    const faults: Faults = { flush: () => fail("EIO", "fdatasync") };
    const deps = withFaults(open(), folder, faults);
    const again = { run: runId, token, output: "done" };
    await expect(operations.advance.run(deps, again)).rejects.toMatchObject({ code: "file-unwritable" });
    delete faults.flush;
    expect(await operations.advance.run(deps, again)).toMatchObject({ ok: true, value: { replayed: true } });
    expect((await open().journal.load(runId))?.version).toBe(2);
  });
});

describe("a read that fails", () => {
  test("says which file, and nothing is written on the strength of it", async () => {
    const { faults, before } = await makeStore();
    const bytes = readFileSync(path);
    faults.read = () => fail("EIO", "read");
    const store = createFileStore(root, faulty(faults));
    const refusal = { code: "file-unreadable", message: `cannot read ${path}: the disk reports an error` };
    await expect(readAll(store.read(run))).rejects.toMatchObject(refusal);
    await expect(store.append(run, 2, [noted(3, "three")])).rejects.toMatchObject(refusal);
    expect(readFileSync(path)).toEqual(bytes);
    delete faults.read;
    before.push(await store.append(run, 2, [noted(3, "three")]));
    expect(await readAll(store.read(run))).toEqual(before);
  });
});

describe("an advance", () => {
  test("on a full disk is refused with one clear message, and works once there is room", async () => {
    const { runId, token, journal, open } = await startProject(folder);
    const faults: Faults = { write: (file, bytes) => file.write(bytes.subarray(0, 100)) };
    const deps = withFaults(open(), folder, faults);
    const again = { run: runId, token, output: "done" };
    await expect(operations.advance.run(deps, again)).rejects.toMatchObject({
      code: "file-unwritable",
      message: `cannot write ${journal}: the disk is full; nothing was changed`,
    });
    expect((await open().journal.load(runId))?.version).toBe(1);
    delete faults.write;
    expect(await operations.advance.run(deps, again)).toMatchObject({ ok: true, value: { ralphIteration: 2 } });
    await advance(open(), runId);
    expect((await open().journal.load(runId))?.version).toBe(3);
  });
});

describe("a folder that cannot be written", () => {
  test("because a part of its path is a file is named", async () => {
    writeFileSync(root, "");
    await expect(createFileStore(root).append(run, 0, [noted(1, "one")])).rejects.toMatchObject(
      unwritable("a part of its path is a file, not a folder"),
    );
    rmSync(root);
    await createFileStore(root).append(run, 0, [noted(1, "one")]);
    expect(await read()).toHaveLength(1);
  });

  test.skipIf(process.getuid?.() === 0)("because nobody may is named, and what is in it can be read", async () => {
    const { store, before } = await makeStore();
    chmodSync(path, 0o444);
    await expect(store.append(run, 2, [noted(3, "three")])).rejects.toMatchObject(unwritable("access is denied"));
    expect(await read()).toEqual(before);
    chmodSync(path, 0o644);
    before.push(await store.append(run, 2, [noted(3, "three")]));
    expect(await read()).toEqual(before);
  });
});

/** The same world, on a disk with faults. */
function withFaults(deps: Deps, project: string, faults: Faults): Deps {
  const store = createFileStore(join(project, ".holdfast", "runs"), faulty(faults));
  return { ...deps, store, journal: createCheckedJournal(store, deps.files) };
}
