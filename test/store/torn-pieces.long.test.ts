import { appendFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import type { RunEvent } from "../../src/model/event.ts";
import { checkedEvents, createFileStore } from "../../src/store/file-store.ts";
import { journalPath } from "../../src/store/journal-file.ts";
import { readLine, writeLine } from "../../src/store/journal-line.ts";
import { readAll } from "../../src/store/store.ts";
import { counted, times } from "../dose.ts";
import { makeFolder, noted, run } from "./project.ts";

const whole = writeLine({ version: 2, prev: "0".repeat(64), writer: "next", events: [noted(2, "second")] });
const line = whole.bytes.subarray(0, -1);
const lengths = Array.from({ length: 40 }, (_, index) => index + 1);

/** What a reader makes of the lines that writers left on one physical line. */
function read(pieces: readonly Uint8Array[]): string {
  return [...readLine(Buffer.concat(pieces), checkedEvents)]
    .map((piece) => (piece.type === "commit" ? piece.hash : piece.type))
    .filter((name) => name !== "torn")
    .join(" ");
}

/** What writers left that died one after the other, before each had written more than this of its line. */
test.each([["{"], ["{{"], ['{"for{"fo'], ['{"format":1,"ver{{"f{'], ['{{"format":1,"version":2,"size":900,"prev{']])(
  "a commit right behind %j counts",
  async (left) => {
    const { folder, remove } = makeFolder();
    try {
      const root = join(folder, "runs");
      const first = await createFileStore(root).append(run, 0, [noted(1, "first")]);
      const second = writeLine({ version: 2, prev: first.id, writer: "next", events: [noted(2, "second")] });
      appendFileSync(journalPath(root, run), Buffer.concat([Buffer.from(left), second.bytes.subarray(0, -1)]));
      const history = await readAll(createFileStore(root).read(run));
      expect(history.map(({ version, id }) => ({ version, id }))).toEqual([
        { version: 1, id: first.id },
        { version: 2, id: second.hash },
      ]);
    } finally {
      remove();
    }
  },
);

describe("writers that were killed within the first 40 bytes of their lines, one right behind the other", () => {
  test("do not hide the commit behind them: all pairs", () => {
    const refused = lengths.flatMap((a) =>
      lengths.filter((b) => read([line.subarray(0, a), line.subarray(0, b), line]) !== whole.hash),
    );
    expect(refused).toEqual([]);
  });

  test("do not hide the commit behind them: all triples, and in the quick tier every seventh", () => {
    const stride = times({ quick: 7, long: 1, soak: 1 });
    for (let n = 0; n < 40 ** 3; n += stride) {
      const [a, b, c] = [(n % 40) + 1, (Math.floor(n / 40) % 40) + 1, Math.floor(n / 1_600) + 1];
      const pieces = [line.subarray(0, a), line.subarray(0, b), line.subarray(0, c), line];
      if (read(pieces) !== whole.hash) expect.fail(`refused behind ${a}, ${b} and ${c} bytes`);
      counted(1);
    }
  });

  test("leave no commit where none is behind them", () => {
    const refused = lengths.flatMap((a) =>
      lengths.filter((b) => read([line.subarray(0, a), line.subarray(0, b)]) !== ""),
    );
    expect(refused).toEqual([]);
  });
});

describe("a commit with many objects that begin like a line", () => {
  /** The second kind is taken for the opening of a line, and states a size that the journal could have. */
  const kinds = [
    ["whose first key is `format`", (n: number) => ({ format: "card", name: `object ${n}` })],
    ["that have the whole opening of a line", (n: number) => ({ format: 1, version: n, size: 30 * n, prev: "" })],
    ["that end like a line", (n: number) => ({ format: 1, version: n, size: 30 * n, hash: "a".repeat(64) })],
  ] as const;

  test.each(kinds)("%s is passed over wherever it was cut, and hides no commit behind it", (_name, make) => {
    const objects = Array.from({ length: 60 }, (_, index) => make(index));
    const long = writeLine({ version: 2, prev: "0".repeat(64), writer: "long", events: [card(objects)] });
    for (let cut = 1; cut < long.bytes.length - 1; cut += times({ quick: 37, long: 1, soak: 1 })) {
      const tear = long.bytes.subarray(0, cut);
      expect(read([tear]), `cut at ${cut}`).toBe("");
      expect(read([tear, line]), `cut at ${cut}`).toBe(whole.hash);
      expect(read([tear, line.subarray(0, cut % 40), line]), `cut at ${cut}`).toBe(whole.hash);
    }
    expect(read([long.bytes.subarray(0, -1)])).toBe(long.hash);
  });

  test("is passed over in time, however many there are", () => {
    const objects = Array.from({ length: 100_000 }, (_, index) => ({ format: 1, version: index, size: 9_000_000 }));
    const long = writeLine({ version: 2, prev: "0".repeat(64), writer: "long", events: [card(objects)] });
    expect(read([long.bytes.subarray(0, -100), line])).toBe(whole.hash);
  });
});

describe("a line that was changed after it was written", () => {
  test("is not taken for one that was cut off, even if a value in it begins like a line", () => {
    const events = [card([{ format: 1, version: 4, size: 300_000, prev: "" }])];
    const { bytes } = writeLine({ version: 2, prev: "0".repeat(64), writer: "changed", events });
    for (let at = 0; at < bytes.length - 77; at++) {
      const changed = Buffer.from(bytes.subarray(0, -1));
      changed[at] = (bytes[at] ?? 0) ^ 1;
      expect(read([changed]), `byte ${at}`).toMatch(/corrupt|newer/);
    }
  });
});

/** A card that someone edited by hand. */
function card(objects: readonly Record<string, string | number>[]): RunEvent {
  const edits = { required_reading: [], key_reminders: [], context: { objects: [...objects] }, other: {} };
  return { seq: 2, at: "2026-01-01T00:00:00.000Z", type: "card-edited", edits };
}
