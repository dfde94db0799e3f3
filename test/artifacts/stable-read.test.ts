import { expect, test } from "vitest";
import { type OpenFile, readStable } from "../../src/artifacts/stable-read.ts";

/** A file whose content and time of change are told anew at every look. */
function fileOf(content: () => string, changedAt: () => number): OpenFile {
  return {
    stat: () => ({ size: content().length, mtimeMs: changedAt(), ctimeMs: changedAt() }),
    read: (position, length) => Buffer.from(content()).subarray(position, position + length),
    close() {},
  };
}

const asText = (found: ReturnType<typeof readStable>) =>
  found.ok ? Buffer.from(found.bytes).toString() : found.problem;

test("a file that stands still is read once", () => {
  let opened = 0;
  const found = readStable(() => {
    opened += 1;
    return fileOf(
      () => "still",
      () => 1,
    );
  });
  expect([asText(found), opened]).toEqual(["still", 1]);
});

test("a file that changes while it is read is read again", () => {
  let time = 0;
  const found = readStable(() =>
    fileOf(
      () => (time < 3 ? "old" : "new"),
      () => Math.min(3, time++),
    ),
  );
  expect(asText(found)).toBe("new");
});

test("a file that grows under the very same stamp is not taken half", () => {
  const found = readStable(() => ({
    ...fileOf(
      () => "longer than it says",
      () => 1,
    ),
    stat: () => ({ size: 6, mtimeMs: 1, ctimeMs: 1 }),
  }));
  expect(asText(found)).toBe("keeps changing while it is read; try again later");
});

test("a file that never stands still is refused, and closed every time", () => {
  let time = 0;
  let open = 0;
  const found = readStable(() => {
    open += 1;
    const file = fileOf(
      () => "busy",
      () => time++,
    );
    const close = () => {
      open -= 1;
    };
    return { ...file, close };
  });
  expect([asText(found), open]).toEqual(["keeps changing while it is read; try again later", 0]);
});

test("a file that comes in pieces is put together", () => {
  const file = fileOf(
    () => "abcdefg",
    () => 1,
  );
  expect(asText(readStable(() => ({ ...file, read: (position) => file.read(position, 2) })))).toBe("abcdefg");
});
