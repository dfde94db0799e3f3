import {
  appendFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { type CopiedStore, createCopiedStore } from "../../src/store/copied-store.ts";
import { markCopy, readCopyMark } from "../../src/store/copy-mark.ts";
import { createFileStore } from "../../src/store/file-store.ts";
import { copyJournal, plainJournal } from "../../src/store/journal-copy.ts";
import { createPostgresStore } from "../../src/store/postgres/postgres-store.ts";
import { readReach } from "../../src/store/reach.ts";
import { type Commit, type CopiedCommit, readAll, type SharedStore } from "../../src/store/store.ts";
import { templateFile } from "../../src/templates/hash.ts";
import { at as addressed, makeDatabase, type TestDatabase } from "./database.ts";
import { at, noted, startEvent } from "./events.ts";
import { type FaultyProxy, startProxy } from "./proxy.ts";

const run = startEvent.runId;

let database: TestDatabase;
let proxy: FaultyProxy;
let folder: string;
let stores: { close(): Promise<void> }[];
let shared: SharedStore;

beforeEach(async () => {
  database = await makeDatabase();
  proxy = await startProxy(Number(new URL(database.url).port));
  folder = mkdtempSync(join(tmpdir(), "holdfast-copies-"));
  stores = [];
  shared = createPostgresStore({ url: database.url, project: "one" });
  stores.push(shared);
});
afterEach(async () => {
  for (const store of stores) await store.close();
  await proxy.close();
  await database.drop();
  rmSync(folder, { recursive: true });
});

/** A machine has a folder, and reaches the server through the proxy. */
function machine(name: string, project = "one", retryAfter = 0): CopiedStore {
  const url = addressed(database.url, { port: String(proxy.port) });
  const store = createPostgresStore({ url, project, patience: 500, waits: { connect: 2_000, answer: 2_000 } });
  const copied = createCopiedStore(store, { root: rootOf(name), templateFile, retryAfter });
  stores.push(copied);
  return copied;
}

function rootOf(name: string): string {
  return join(folder, name, "runs");
}

function fileOf(name: string, file = "journal.jsonl"): string {
  return join(rootOf(name), run, file);
}

function bytesOf(name: string): Buffer {
  return readFileSync(fileOf(name));
}

async function sharedLines(): Promise<readonly CopiedCommit[]> {
  const all: CopiedCommit[] = [];
  for await (const commit of shared.readLines(run)) all.push(commit);
  return all;
}

/** Whatever is read here is what is shared, and so is the file. */
async function expectCopy(name: string): Promise<void> {
  const lines = await sharedLines();
  expect(bytesOf(name)).toEqual(plainJournal(lines));
}

async function write(store: CopiedStore, from: number, count: number): Promise<Commit[]> {
  const commits: Commit[] = [];
  for (let n = from; n < from + count; n++) commits.push(await store.append(run, n, [noted(n + 1, `n${n}`)]));
  return commits;
}

/** Every version and text, whatever the places are. */
function told(commits: readonly Commit[]): unknown {
  return commits.map(({ version, id, events }) => [version, id, events]);
}

test("a run that one machine starts is read on another, with its template, byte for byte, and goes on there", async () => {
  const [here, there] = [machine("here"), machine("there")];
  mkdirSync(join(rootOf("here"), run), { recursive: true });
  writeFileSync(fileOf("here", templateFile(startEvent.templateHash)), '{"a template":"é"}');
  const first = await here.append(run, 0, [startEvent]);
  const second = await here.append(run, 1, [noted(2, "two")], first);
  expect(await readAll(here.read(run))).toEqual([first, second]);

  expect(await readAll(there.read(run))).toEqual([first, second]);
  expect(readFileSync(fileOf("there", templateFile(startEvent.templateHash)), "utf8")).toBe('{"a template":"é"}');
  expect(readCopyMark(rootOf("there"), run)).toEqual({ project: "one", isHere: false, isOwn: false });
  const third = await there.append(run, 2, [noted(3, "three")], second);

  expect(await here.isStillAt(run, second)).toBe(false);
  expect(told(await readAll(here.read(run, { version: 2, place: second.place })))).toEqual(told([second, third]));
  await expect(here.append(run, 2, [noted(3, "late")], second)).rejects.toMatchObject({ code: "version-conflict" });
  await expectCopy("here");
  await expectCopy("there");
});

test.each([
  "'; DROP SCHEMA holdfast CASCADE; --",
  '"}\n{"format":1,"version":9,"size":3,',
  "$1 $$ \\x00 %s ../../../etc/passwd {project_root}",
  "half a pair \ud800, a NUL \0 and \u2028",
])("a project, a text and a template that hold %j arrive as they are, and nothing else changes", async (text) => {
  const project = text.replaceAll(/\p{Cc}|\p{Cs}/gu, "");
  const [here, there] = [machine("here", project), machine("there", project)];
  mkdirSync(join(rootOf("here"), run), { recursive: true });
  const template = templateFile(startEvent.templateHash);
  writeFileSync(fileOf("here", template), JSON.stringify(text));
  const first = await here.append(run, 0, [{ ...startEvent, request: text, summary: text, variables: { a: text } }]);
  expect(await readAll(there.read(run))).toEqual([first]);
  expect(readFileSync(fileOf("there", template), "utf8")).toBe(JSON.stringify(text));
  expect(bytesOf("there")).toEqual(bytesOf("here"));
  expect(readCopyMark(rootOf("there"), run)).toEqual({ project, isHere: false, isOwn: false });
  expect(await shared.list()).toEqual([]);
});

test("a process that was killed between the acknowledgement and its copy leaves nothing that the next one misses", async () => {
  const here = machine("here");
  const [first] = await write(here, 0, 1);
  await shared.append(run, 1, [noted(2, "unseen")], first);
  await here.append(run, 2, [noted(3, "three")]);
  await expectCopy("here");
  appendFileSync(fileOf("here"), (await sharedLines())[0]?.line.subarray(0, 90) ?? "");
  await shared.append(run, 3, [noted(4, "four")]);
  expect(await readAll(machine("here").read(run))).toHaveLength(4);
  await shared.append(run, 4, [noted(5, "five")]);
  await machine("here").append(run, 5, [noted(6, "six")]);
  expect(told(await readAll(createFileStore(rootOf("here")).read(run)))).toEqual(told(await readAll(shared.read(run))));
});

test("many readers of one folder bring its copy up to date at once, and all read the same", async () => {
  for (let n = 0; n < 60; n++) await shared.append(run, n, [noted(n + 1, "x".repeat(n * 50))]);
  const readers = Array.from({ length: 8 }, () => machine("here"));
  const all = await Promise.all(readers.map((reader) => readAll(reader.read(run))));
  const expected = told(await readAll(shared.read(run)));
  for (const commits of all) expect(told(commits)).toEqual(expected);
  await write(machine("here"), 60, 2);
  expect(told(await readAll(createFileStore(rootOf("here")).read(run)))).toEqual(told(await readAll(shared.read(run))));
});

test("only what a copy lacks is fetched, and what is known to be shared is read without a question", async () => {
  await write(machine("here"), 0, 5);
  const here = machine("here");
  const questions = vi.spyOn(here.shared, "readLinesAfter");
  const lines = vi.spyOn(here.shared, "readLines");
  await readAll(here.read(run));
  for await (const commit of here.read(run, { version: 3 })) {
    expect(commit.version).toBe(3);
    break;
  }
  expect([questions.mock.calls.length, lines.mock.calls]).toEqual([1, []]);
  await shared.append(run, 5, [noted(6, "six")]);
  expect(await readAll(here.read(run, { version: 5 }))).toHaveLength(2);
  expect([questions.mock.calls.length, lines.mock.calls]).toEqual([2, []]);
  await shared.append(run, 6, [noted(7, "seven")]);
  await here.refresh([run, "unknown-20260101_000000-cccc"]);
  await expectCopy("here");
  expect(existsSync(join(rootOf("here"), "unknown-20260101_000000-cccc"))).toBe(false);
});

describe("without the server", () => {
  test("a run is read from its copy and cannot be advanced, and it is known since when", async () => {
    const before = await write(machine("here"), 0, 2);
    expect(readReach(join(folder, "here"))).toMatchObject({ failed: null });
    proxy.refuse(true);
    proxy.cut();
    const here = machine("here");
    expect(told(await readAll(here.read(run)))).toEqual(told(before));
    expect(await here.list()).toEqual([run]);
    expect(readReach(join(folder, "here")).failed).not.toBe(null);
    const append = here.append(run, 2, [noted(3, "three")], before[1]);
    await expect(append).rejects.toMatchObject({ code: "store-unreachable", data: { committed: "no" } });
    await expect(readAll(here.read("unseen-20260101_000000-cccc"))).rejects.toMatchObject({
      code: "store-unreachable",
    });
    proxy.refuse(false);
    expect(await readAll(here.read(run))).toHaveLength(2);
    await here.append(run, 2, [noted(3, "three")], before[1]);
    expect(readReach(join(folder, "here"))).toMatchObject({ failed: null });
    await expectCopy("here");
  });

  test("a process waits for an answer once, not at each question", async () => {
    await write(machine("here"), 0, 2);
    const here = machine("here", "one", 60_000);
    proxy.refuse(true);
    const before = proxy.made();
    for (let n = 0; n < 5; n++) expect(await readAll(here.read(run))).toHaveLength(2);
    expect(await here.isStillAt(run, { version: 2, id: "" })).toBe(false);
    await here.refresh([run]);
    for (const ask of [() => here.shared.listRuns({ limit: 1 }), () => here.shared.heads([run])])
      await expect(ask()).rejects.toMatchObject({ code: "store-unreachable" });
    expect(proxy.made() - before).toBe(1);
  });

  test("if the server refuses, the copy is read, why is known, and nothing can be appended", async () => {
    await write(machine("here"), 0, 2);
    await database.query("INSERT INTO holdfast.migrations (version, needs) VALUES (9, '7.5.0')");
    const here = machine("here");
    expect(await readAll(here.read(run))).toHaveLength(2);
    expect(here.away()?.problem).toMatchObject({ code: "store-schema" });
    await expect(here.append(run, 2, [noted(3, "three")])).rejects.toMatchObject({ code: "store-schema" });
    await expect(readAll(here.read("other-20260101_000000-aaaa"))).rejects.toMatchObject({ code: "store-schema" });
  });
});

describe("a database that was restored from an old backup", () => {
  /** As a backup from after version 2 would have it. */
  async function restore(): Promise<void> {
    await database.query("DELETE FROM holdfast.commits WHERE version > 2");
    await database.query(
      "UPDATE holdfast.runs SET version = 2, head = (SELECT id FROM holdfast.commits WHERE version = 2)",
    );
  }

  test("is refused with both heads, and what the copy has can be stored again", async () => {
    const here = machine("here");
    const commits = await write(here, 0, 4);
    await restore();
    const before = bytesOf("here");
    const heads = [`version 2 (${commits[1]?.id.slice(0, 12)})`, `version 4 (${commits[3]?.id.slice(0, 12)})`];
    for (const store of [here, machine("here")]) {
      const failure = await readAll(store.read(run)).catch((error) => error);
      expect(failure).toMatchObject({ code: "store-rewound", data: { there: heads[0], here: heads[1] } });
      expect(failure.message).toContain(heads[0]);
      expect(failure.message).toContain(heads[1]);
      expect(failure.next).toContain("holdfast store migrate --to postgres");
    }
    await expect(machine("here").append(run, 4, [noted(5, "five")])).rejects.toMatchObject({ code: "store-rewound" });
    expect(bytesOf("here")).toEqual(before);
    expect(await sharedLines()).toHaveLength(2);

    const copy = copyJournal(rootOf("here"), run)?.commits ?? [];
    await shared.importLines(run, copy[1] ?? null, copy.slice(2));
    expect(told(await readAll(machine("here").read(run)))).toEqual(told(commits));
    await expectCopy("here");
  });

  test("is refused when others have gone on from there, and when it does not have the run at all", async () => {
    await write(machine("here"), 0, 4);
    await restore();
    for (let n = 2; n < 6; n++) await shared.append(run, n, [noted(n + 1, "another history")]);
    const before = bytesOf("here");
    const failure = await readAll(machine("here").read(run)).catch((error) => error);
    expect(failure).toMatchObject({ code: "store-rewound", data: { isBehind: false } });
    expect(failure.next).toContain(`move the folder .holdfast/runs/${run} away`);
    expect(await sharedLines()).toHaveLength(6);

    await database.query("DELETE FROM holdfast.runs");
    await database.query("DELETE FROM holdfast.commits");
    const gone = readAll(machine("here").read(run));
    await expect(gone).rejects.toMatchObject({ code: "store-rewound", data: { there: null, isBehind: true } });
    expect(bytesOf("here")).toEqual(before);
  });

  test("is told from a run that somebody replaced on purpose, whose former copy is kept", async () => {
    const here = machine("here");
    const commits = await write(here, 0, 4);
    const other = createPostgresStore({ url: database.url, project: "elsewhere" });
    stores.push(other);
    for (let n = 0; n < 5; n++) await other.append(run, n, [noted(n + 1, "another history")]);
    await other.append(run, 5, [
      { seq: 6, at, type: "run-received", from: "a file", machine: "m-1", worktree: null, after: 0 },
    ]);
    const lines: CopiedCommit[] = [];
    for await (const commit of other.readLines(run)) lines.push(commit);
    const former = bytesOf("here");
    await shared.replaceRun(run, commits[3] ?? { version: 0, id: "" }, lines);
    // A process that knows the former history never mixes the two.
    expect(told(await readAll(here.read(run, { version: 3 })))).toEqual(told(commits.slice(2)));
    expect(told(await readAll(here.read(run)))).toEqual(told(lines));
    expect(told(await readAll(machine("here").read(run)))).toEqual(told(lines));
    await expectCopy("here");
    const kept = readdirSync(join(rootOf("here"), run)).find((name) => name.startsWith("journal.kept-")) ?? "";
    expect(readFileSync(fileOf("here", kept))).toEqual(former);
    await here.append(run, 6, [noted(7, "seven")]);
    await expectCopy("here");
  });
});

test("a damaged copy is fetched again, and kept beside it", async () => {
  const commits = await write(machine("here"), 0, 4);
  const bytes = bytesOf("here");
  for (const place of [200, bytes.length - 100]) {
    const damaged = Buffer.from(bytes);
    damaged.fill(0, place, place + 40);
    writeFileSync(fileOf("here"), damaged);
    expect(told(await readAll(machine("here").read(run)))).toEqual(told(commits));
    await expectCopy("here");
  }
  expect(readdirSync(join(rootOf("here"), run)).filter((name) => name.startsWith("journal.broken-"))).toHaveLength(2);
});

test("a commit is acknowledged even if its copy cannot be written", async () => {
  mkdirSync(fileOf("here"), { recursive: true });
  const first = await machine("here").append(run, 0, [noted(1, "one")]);
  expect(told(await readAll(shared.read(run)))).toEqual(told([first]));
});

test("a run that is only in files here is read, listed, and not advanced until it is moved", async () => {
  const files = createFileStore(rootOf("here"));
  const first = await files.append(run, 0, [noted(1, "one")]);
  await files.close();
  const here = machine("here");
  expect(await readAll(here.read(run))).toEqual([first]);
  expect(await here.list()).toEqual([run]);
  const append = here.append(run, 1, [noted(2, "two")], first);
  await expect(append).rejects.toMatchObject({ code: "run-not-shared" });
  expect(await shared.list()).toEqual([]);

  await shared.importLines(run, null, copyJournal(rootOf("here"), run)?.commits ?? []);
  await expect(machine("here").append(run, 1, [noted(2, "two")], first)).rejects.toMatchObject({
    code: "run-not-shared",
  });
  markCopy(rootOf("here"), run, { project: "one" });
  await machine("here").append(run, 1, [noted(2, "two")], first);
  expect(readCopyMark(rootOf("here"), run)).toEqual({ project: "one", isHere: true, isOwn: false });
  await expectCopy("here");
});

test("a copy of another project's run is not taken for one of this project", async () => {
  await write(machine("here"), 0, 2);
  const other = machine("here", "two");
  expect(await readAll(other.read(run))).toHaveLength(2);
  const append = other.append(run, 2, [noted(3, "three")]);
  await expect(append).rejects.toMatchObject({ code: "run-not-shared", data: { of: "one", project: "two" } });
});

test("a run moved from files to the database and back has every line byte for byte", async () => {
  const files = createFileStore(rootOf("here"));
  for (let n = 0; n < 30; n++) await files.append(run, n, [noted(n + 1, `é\0"\\\n \ud800 ${"y".repeat(n * 100)}`)]);
  await files.close();
  const before = bytesOf("here");
  await shared.importLines(run, null, copyJournal(rootOf("here"), run)?.commits ?? []);
  await readAll(machine("there").read(run));
  expect(bytesOf("there")).toEqual(before);
  expect(plainJournal(await sharedLines())).toEqual(before);
});
