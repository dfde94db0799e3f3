import fc from "fast-check";
import { expect, test } from "vitest";
import { createLineCutter } from "../../src/mcp/lines.ts";
import { cases } from "../dose.ts";

const longest = 12;

test("however the bytes come in pieces, the same lines come out, and only the long ones are lost", () => {
  const line = fc.string({ unit: fc.constantFrom("a", "ä", "\r", "日"), maxLength: 9 });
  const cuts = fc.array(fc.nat(60), { maxLength: 12 });
  fc.assert(
    fc.property(fc.array(line, { maxLength: 8 }), line, cuts, (lines, rest, places) => {
      const bytes = Buffer.from([...lines, rest].join("\n"));
      const ends = [...places, bytes.length].map((at) => Math.min(at, bytes.length)).sort((a, b) => a - b);
      const cut = createLineCutter(longest);
      const seen = ends.flatMap((end, n) => [...cut(bytes.subarray(ends[n - 1] ?? 0, end))].map(String));
      expect(seen).toEqual(lines.map((each) => (Buffer.byteLength(each) > longest ? "too-long" : each)));
    }),
    cases({ quick: 100, long: 2_000, soak: 50_000 }),
  );
});

test("a line that seems never to end is told of once, and the next one comes out whole", () => {
  const cut = createLineCutter(longest);
  for (let n = 0; n < 1_000; n++) expect([...cut(Buffer.alloc(1_000, "x"))]).toEqual([]);
  expect([...cut(Buffer.from("\nnext\n"))].map(String)).toEqual(["too-long", "next"]);
});
