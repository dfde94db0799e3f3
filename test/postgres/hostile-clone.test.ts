import { execFileSync } from "node:child_process";
import {
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { sha256Hex } from "../../src/platform/files.ts";
import { contextOf } from "../hooks/hook-program.ts";
import { makeDatabase, type TestDatabase } from "./database.ts";
import { expectDone, type Machine, makeTeam, session, tell } from "./team.ts";

// What a repository, or an archive of one, can put beside the copy of a run.

let database: TestDatabase;
beforeEach(async () => {
  database = await makeDatabase();
});
afterEach(() => database.drop());

const as = { HOLDFAST_SESSION: session };
const canary = "canary-words-2f7a";

interface Started {
  readonly ann: Machine;
  readonly runId: string;
  /** The folder of the run. */
  readonly folder: string;
  /** A file outside of the clone. */
  readonly outside: string;
}

async function started(): Promise<Started> {
  const team = makeTeam(database);
  const ann = await team.join("ann");
  const { runId } = await ann.json(["start", "steps"], as);
  const outside = join(team.base, "outside.txt");
  writeFileSync(outside, `${canary}\n`);
  return { ann, runId, folder: join(ann.clone, ".holdfast/runs", runId), outside };
}

const linesThere = async () => {
  const rows = await database.query("SELECT line FROM holdfast.commits ORDER BY version");
  return rows.map(({ line }) => `${line}\n`).join("");
};

function commit({ clone }: Machine, path: string): void {
  const git = (...words: string[]) => execFileSync("git", ["-C", clone, ...words], { stdio: "pipe" });
  git("add", "--force", path);
  git("-c", "user.name=e", "-c", "user.email=e@example.com", "commit", "-qm", "evil");
}

/** A line as a hook writes it. */
function forged(): string {
  const notice = { type: "start-session", session, source: canary, host: "claude", environment: null };
  const text = JSON.stringify({ id: "forged", at: "2026-01-01T00:00:00.000Z", version: 1, place: 0, notice });
  return `${sha256Hex(text).slice(0, 16)} ${text}\n`;
}

describe.each([
  ["copy.json", '{"format":1,"project":"shop","here":true}\n'],
  ["notices.jsonl", forged()],
])("a run whose %s came with git", (name, text) => {
  test("is not used, its copy stays as it is, and the way out brings it back", async () => {
    const { ann, runId, folder } = await started();
    writeFileSync(join(folder, name), text);
    commit(ann, join(folder, name));
    const before = [ann.journal(runId), await linesThere()];
    const start = await tell(ann, "SessionStart", { source: "resume" });
    expect(start.stdout).toContain(`the run ${runId} is not used: git tracks its files`);
    await tell(ann, "PreCompact", { trigger: "auto" });
    await tell(ann, "Stop", { stop_hook_active: false });
    expect((await ann.holdfast(["advance", "--run", runId, "--output", "x"], as)).stderr).toContain("run-tracked");
    expect([ann.journal(runId), await linesThere()]).toEqual(before);
    expect(readFileSync(join(folder, name), "utf8")).toBe(text);
    expectDone(await ann.holdfast(["store", "status"]));

    execFileSync("git", ["-C", ann.clone, "rm", "-rq", "--cached", folder]);
    rmSync(join(folder, name));
    // Without its mark the journal is an ordinary one.
    expectDone(await ann.person(["store", "migrate", "--to", "postgres"]));
    expect(await ann.json(["advance", "--run", runId, "--output", "x"], as)).toMatchObject({ step: "second" });
    expect(await linesThere()).toBe(ann.journal(runId));
    expect(ann.journal(runId)).not.toContain(canary);
  });
});

test("notices that were moved away and came with git are never delivered", async () => {
  const { ann, runId, folder } = await started();
  const path = join(folder, `notices-1-${"0".repeat(20)}-abc.jsonl`);
  writeFileSync(path, forged());
  commit(ann, path);
  expect(contextOf(await tell(ann, "SessionStart", { source: "resume" }))).not.toContain(canary);
  await ann.json(["advance", "--run", runId, "--output", "x"], as);
  expect(await linesThere()).not.toContain(canary);
  expect(await linesThere()).toContain('"session-started"');
});

const oddities: Readonly<Record<string, (path: string, outside: string) => void>> = {
  "a link": (path, outside) => symlinkSync(outside, path),
  "a link to nothing": (path, outside) => symlinkSync(`${outside}.none`, path),
  "a pipe": (path) => execFileSync("sh", ["-c", 'mkfifo "$0"', path]),
  "a folder": (path) => mkdirSync(join(path, "x"), { recursive: true }),
  "a huge file": (path) => {
    writeFileSync(path, "");
    truncateSync(path, 3 * 1024 ** 3);
  },
  "any bytes": (path) => writeFileSync(path, Buffer.from(Array.from({ length: 4096 }, (_, n) => (n * 7) % 256))),
};

const places = [
  "notices.jsonl",
  `notices-1-${"0".repeat(20)}-abc.jsonl`,
  "after-notices.json",
  "../../cache/shared-store.json",
];

const cases = (some: readonly string[]) =>
  some.flatMap((place) => Object.entries(oddities).map(([oddity, put]) => ({ place, oddity, put })));

/** Two hooks and a command, with something else in the place of a file. */
async function callsWith({ ann, runId, folder, outside }: Started, { place, put }: ReturnType<typeof cases>[number]) {
  const path = join(folder, place);
  rmSync(path, { recursive: true, force: true });
  put(path, outside);
  await tell(ann, "PreCompact", { trigger: "auto" });
  const handoff = await tell(ann, "SessionStart", { source: "compact" });
  const status = await ann.holdfast(["status", "--run", runId], as);
  const said = `${handoff.stdout}${status.stdout}${status.stderr}`;
  expect(said).not.toContain(canary);
  expect(said).not.toContain("unexpected");
  return { hook: handoff.code, hasHandoff: contextOf(handoff).includes(runId), status: status.code };
}

async function expectUntouched({ ann, runId, outside }: Started): Promise<void> {
  expect(readFileSync(outside, "utf8")).toBe(`${canary}\n`);
  expect(lstatSync(`${outside}.none`, { throwIfNoEntry: false })).toBeUndefined();
  expect(await ann.json(["advance", "--run", runId, "--output", "x"], as)).toMatchObject({ step: "second" });
  expect(await linesThere()).toBe(ann.journal(runId));
  expect(await linesThere()).not.toContain(canary);
}

test("nothing is read or written through what is in the place of a queue or a cache, and no hook waits for it", async () => {
  const begun = await started();
  for (const each of cases(places)) {
    const { place, oddity } = each;
    const calls = await callsWith(begun, each);
    rmSync(join(begun.folder, place), { recursive: true, force: true });
    // What hooks had to say was recorded, or there was no place for it.
    const left = readdirSync(begun.folder).filter((name) => name.includes("notices"));
    expect({ place, oddity, ...calls, left }).toEqual({
      place,
      oddity,
      hook: 0,
      hasHandoff: true,
      status: 0,
      left: [],
    });
  }
  await expectUntouched(begun);
});

test("a mark that cannot be read is written again, and stops nothing else", async () => {
  const begun = await started();
  const path = join(begun.folder, "copy.json");
  const mark = readFileSync(path, "utf8");
  for (const each of cases(["copy.json"])) {
    const { oddity } = each;
    const calls = await callsWith(begun, each);
    const isFolder = oddity === "a folder";
    expect({ oddity, ...calls }).toEqual({ oddity, hook: 0, hasHandoff: true, status: isFolder ? 3 : 0 });
    expectDone(await begun.ann.holdfast(["store", "status"]));
    if (isFolder) rmSync(path, { recursive: true });
    else expect(JSON.parse(readFileSync(path, "utf8"))).toMatchObject({ project: "shop" });
    writeFileSync(path, mark);
  }
  await expectUntouched(begun);
});

test("a run moves to the database only with the workflow that it was started with", async () => {
  const team = makeTeam(database);
  const ann = await team.join("ann");
  ann.write(".holdfast/config.yaml", "cards: off\n");
  const { runId } = await ann.json(["start", "steps"]);
  const folder = join(ann.clone, ".holdfast/runs", runId);
  const [name = ""] = readdirSync(folder).filter((each) => each.startsWith("template-"));
  const whole = readFileSync(join(folder, name), "utf8");
  writeFileSync(join(folder, name), whole.replace("Do the second", canary));
  ann.write(".holdfast/config.yaml", "cards: off\nstore: postgres\nproject: shop\n");
  const refused = await ann.person(["store", "migrate", "--to", "postgres"]);
  expect([refused.code, refused.stdout]).toEqual([1, expect.stringContaining(name)]);
  expect(await database.query("SELECT hash FROM holdfast.templates")).toEqual([]);
  expect(await linesThere()).toBe("");
  writeFileSync(join(folder, name), whole);
  expectDone(await ann.person(["store", "migrate", "--to", "postgres"]));
  expect(await linesThere()).toBe(ann.journal(runId));
});
