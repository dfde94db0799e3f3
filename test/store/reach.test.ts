import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it, onTestFinished } from "vitest";
import { reachedBeginning } from "../../src/store/journal-file.ts";
import { noteAway, noteReached, readReach } from "../../src/store/reach.ts";
import { makeFolder } from "./project.ts";

function makeState() {
  const { folder, remove } = makeFolder();
  onTestFinished(remove);
  return { folder, file: join(folder, "cache", "shared-store.json") };
}

it("tells since when the shared store has not answered, and when it last had", () => {
  const { folder } = makeState();
  expect(readReach(folder)).toEqual({ reached: null, failed: null, isSilent: false });
  noteReached(folder, "2026-01-01T10:00:00.000Z");
  const times = { reached: "2026-01-01T10:00:00.000Z", failed: "2026-01-01T10:05:00.000Z" };
  noteAway(folder, times.failed, { code: "store-refused" });
  expect(readReach(folder)).toEqual({ ...times, isSilent: false });
  noteAway(folder, times.failed, { code: "store-unreachable" });
  expect(readReach(folder)).toEqual({ ...times, isSilent: true });
  noteReached(folder, "2026-01-01T10:05:01.000Z");
  expect(readReach(folder)).toEqual({ reached: "2026-01-01T10:05:01.000Z", failed: null, isSilent: false });
});

it("is written once a minute while all is well", () => {
  const { folder, file } = makeState();
  noteReached(folder, "2026-01-01T10:00:00.000Z");
  const before = readFileSync(file, "utf8");
  expect(before.startsWith(reachedBeginning)).toBe(true);
  noteReached(folder, "2026-01-01T10:00:59.000Z");
  expect(readFileSync(file, "utf8")).toBe(before);
  noteReached(folder, "2026-01-01T10:01:01.000Z");
  expect(readReach(folder).reached).toBe("2026-01-01T10:01:01.000Z");
});

it.each(['{"failed":"<b>now</b>"}', "[]", "", '{"failed":12}', "\0"])(
  "takes nothing from a foreign file: %j",
  (text) => {
    const { folder, file } = makeState();
    mkdirSync(join(folder, "cache"));
    writeFileSync(file, text);
    expect(readReach(folder)).toEqual({ reached: null, failed: null, isSilent: false });
  },
);
