import { appendFileSync, readFileSync, statSync, truncateSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { expect, test } from "vitest";
import { isHoldfastError } from "../../src/errors.ts";
import type { RunEvent } from "../../src/model/event.ts";
import { type AppendFile, type AppendFiles, appendFiles } from "../../src/platform/append-file.ts";
import { createFileStore } from "../../src/store/file-store.ts";
import { journalPath } from "../../src/store/journal-file.ts";
import { writeLine } from "../../src/store/journal-line.ts";
import { type Commit, readAll, type Store } from "../../src/store/store.ts";
import { cases } from "../dose.ts";
import { makeFolder, noted, run } from "./project.ts";

/** What may happen to a journal that two processes share with others who are killed or come too late. */
type Happening =
  | { readonly type: "append"; readonly by: number; readonly behind: number; readonly text: string }
  /** Someone else's write comes between this append's look and its own write. */
  | { readonly type: "raced-append"; readonly by: number; readonly rival: Rival }
  /** Someone else writes, and is not told how it went. */
  | { readonly type: "stray"; readonly rival: Rival; readonly newlineFirst: boolean }
  | { readonly type: "late-line"; readonly version: number }
  /** The system goes down: of what nobody was told of, only a beginning stays. */
  | { readonly type: "lose-tail"; readonly keep: number }
  | { readonly type: "look"; readonly by: number; readonly version: number; readonly place: number };

/** How much of its line a rival has written: a part of a thousand, its first bytes, all but the line end, or all. */
type Rival = number | { readonly first: number } | "all but the end" | "all";

const by = fc.nat({ max: 1 });
const rival: fc.Arbitrary<Rival> = fc.oneof(
  fc.nat({ max: 999 }),
  fc.record({ first: fc.integer({ min: 1, max: 40 }) }),
  fc.constantFrom("all but the end", "all"),
);
const text = fc.oneof(fc.string(), fc.constantFrom('{"format":1,"version":2,"size":3,', "x".repeat(20_000), "\n\r\0é"));
const happening: fc.Arbitrary<Happening> = fc.oneof(
  { weight: 4, arbitrary: fc.record({ type: fc.constant("append"), by, behind: fc.nat({ max: 2 }), text }) },
  { weight: 3, arbitrary: fc.record({ type: fc.constant("raced-append"), by, rival }) },
  { weight: 3, arbitrary: fc.record({ type: fc.constant("stray"), rival, newlineFirst: fc.boolean() }) },
  { weight: 2, arbitrary: fc.record({ type: fc.constant("late-line"), version: fc.nat({ max: 9 }) }) },
  { weight: 2, arbitrary: fc.record({ type: fc.constant("lose-tail"), keep: fc.nat({ max: 1_000 }) }) },
  {
    weight: 2,
    arbitrary: fc.record({
      type: fc.constant("look"),
      by,
      version: fc.integer({ min: 1, max: 12 }),
      place: fc.integer({ min: -1, max: 60_000 }),
    }),
  },
);

/** Three writers were killed after one byte each while a fourth, which had already looked, wrote its commit. */
const threeTears: Happening[] = [
  { type: "append", by: 0, behind: 0, text: '{"format":1,"version":2,"size":3,' },
  { type: "stray", rival: 4, newlineFirst: false },
  { type: "stray", rival: 4, newlineFirst: false },
  { type: "raced-append", by: 0, rival: 4 },
  { type: "append", by: 0, behind: 1, text: "late" },
];

test("whatever happens to a journal, all agree on one history with every acknowledged commit in its place", async () => {
  const check = async (happenings: Happening[]) => {
    const { folder, remove } = makeFolder();
    try {
      const world = createWorld(join(folder, "runs"));
      for (const one of happenings) await world.happen(one);
      await world.checkReaders();
    } finally {
      remove();
    }
  };
  await fc.assert(fc.asyncProperty(fc.array(happening, { maxLength: 25 }), check), {
    ...cases({ quick: 50, long: 1_000, soak: 20_000 }),
    examples: [[threeTears]],
  });
});

/** A card with values that look like the opening of a line. */
const lookalikes: readonly RunEvent[] = [
  {
    ...{ seq: 99, at: "2026-01-01T00:00:00.000Z", type: "card-edited" },
    edits: {
      ...{ required_reading: [], key_reminders: [], other: {} },
      context: { objects: [{ format: "card" }, { format: 1, version: 2, size: 900, prev: "" }, { format: 2 }] },
    },
  },
];

function createWorld(root: string) {
  const path = journalPath(root, run);
  let beforeWrite: (() => void) | null = null;
  const files = intercepted(() => {
    beforeWrite?.();
    beforeWrite = null;
  });
  const stores = [createFileStore(root, files), createFileStore(root, files)];
  const acknowledged: Commit[] = [];
  /** Where each line began that someone wrote, for hints that lead astray. */
  const places = new Set<number>();
  /** Up to here the file was flushed for someone who was told so. */
  let floor = 0;

  const storeOf = (index: number) => stores[index] as Store;
  const size = () => statSync(path, { throwIfNoEntry: false })?.size ?? 0;

  function acknowledge(commit: Commit): void {
    acknowledged.push(commit);
    floor = size();
  }

  function rivalBytes(history: readonly Commit[], rivalry: Rival): Buffer {
    const line = writeLine({
      version: history.length + 1,
      prev: history.at(-1)?.id ?? "",
      writer: "rival",
      events: [noted(history.length + 1, `rival ${"é".repeat(history.length)}`), ...lookalikes],
    }).bytes;
    if (rivalry === "all") return line;
    if (rivalry === "all but the end") return line.subarray(0, -1);
    if (typeof rivalry === "object") return line.subarray(0, rivalry.first);
    return line.subarray(0, Math.floor(((line.length - 1) * rivalry) / 1_000));
  }

  function write(bytes: Uint8Array): void {
    places.add(size());
    if (size() > 0 || acknowledged.length > 0) appendFileSync(path, bytes);
  }

  async function append(store: Store, history: readonly Commit[], behind: number, summary: string): Promise<void> {
    const expected = Math.max(history.length - behind, 0);
    const appended = store.append(run, expected, [noted(expected + 1, summary)]);
    if (expected === history.length) acknowledge(await appended);
    else await expect(appended).rejects.toMatchObject({ code: "version-conflict" });
  }

  async function racedAppend(store: Store, history: readonly Commit[], rivalry: Rival): Promise<void> {
    if (history.length === 0) return;
    beforeWrite = () => write(rivalBytes(history, rivalry));
    try {
      acknowledge(await store.append(run, history.length, [noted(history.length + 1, "raced")]));
      expect(rivalry).not.toBeTypeOf("string");
    } catch (error) {
      if (!isHoldfastError(error, "version-conflict")) throw error;
      // The rival's line is whole, and was first: had it lived, it would have been told so.
      expect(rivalry).toBeTypeOf("string");
      floor = size();
    }
  }

  function lateLine(history: readonly Commit[], version: number): void {
    if (version < 1 || version > history.length) return;
    const prev = history[version - 2]?.id ?? "";
    write(writeLine({ version, prev, writer: "late", events: [noted(version, "late")] }).bytes);
  }

  async function act(one: Happening, history: readonly Commit[]): Promise<void> {
    switch (one.type) {
      case "append":
        return append(storeOf(one.by), history, one.behind, one.text);
      case "raced-append":
        return racedAppend(storeOf(one.by), history, one.rival);
      case "stray":
        return write(Buffer.concat([Buffer.from(one.newlineFirst ? "\n" : ""), rivalBytes(history, one.rival)]));
      case "late-line":
        return size() === 0 || readFileSync(path).at(-1) === 0x0a ? lateLine(history, one.version) : undefined;
      case "lose-tail":
        if (size() > floor) truncateSync(path, floor + Math.floor(((size() - floor) * one.keep) / 1_000));
        return;
      case "look":
        return expectSlice(storeOf(one.by), history, one.version, one.place);
    }
  }

  async function expectSlice(store: Store, history: readonly Commit[], version: number, place: number): Promise<void> {
    expect(await readAll(store.read(run, { version, place }))).toEqual(history.slice(version - 1));
  }

  /** What someone reads who has never seen the journal. */
  function readAnew(): Promise<Commit[]> {
    return readAll(createFileStore(root).read(run));
  }

  return {
    async happen(one: Happening) {
      await act(one, await readAnew());
      const history = await readAnew();
      for (const commit of acknowledged) expect(history[commit.version - 1]).toEqual(commit);
      expect(history.map(({ version }) => version)).toEqual(history.map((_, index) => index + 1));
    },
    /** Both processes, however little they have seen of it, and readers with whatever hint. */
    async checkReaders() {
      const history = await readAnew();
      for (const store of stores) expect(await readAll(store.read(run))).toEqual(history);
      for (const place of [...places, ...history.map((commit) => commit.place)]) {
        for (let version = 1; version <= history.length + 1; version++) {
          await expectSlice(createFileStore(root), history, version, place);
        }
      }
    },
  };
}

/** The disk, with a word before every write. Nothing is flushed: no power is cut here. */
function intercepted(beforeWrite: () => void): AppendFiles {
  const wrap = (file: AppendFile | null): AppendFile | null =>
    file && {
      ...file,
      flush() {},
      write(bytes) {
        beforeWrite();
        return file.write(bytes);
      },
    };
  return { open: (path, how) => wrap(appendFiles.open(path, how)), openForReading: appendFiles.openForReading };
}
