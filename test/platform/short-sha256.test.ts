import { createHash } from "node:crypto";
import fc from "fast-check";
import { expect, it } from "vitest";
import { shortSha256 } from "../../src/platform/short-sha256.ts";

it("a short text has the SHA-256 that Node gives it, of whatever length and script", () => {
  fc.assert(
    fc.property(fc.string({ unit: "grapheme", maxLength: 200 }), (text) => {
      expect(shortSha256(text)).toBe(createHash("sha256").update(text).digest("hex"));
    }),
    { numRuns: 300 },
  );
});
