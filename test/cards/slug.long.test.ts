import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { slugOf } from "../../src/cards/slug.ts";
import { anyCharacter } from "../any-character.ts";
import { cases } from "../dose.ts";

describe("a name as a part of a path", () => {
  it.each([
    ["feature", "feature"],
    ["Feature Implementation (User Auth)", "feature-implementation-user-auth"],
    ["  --Page Orchestration - Case Studies!! ", "page-orchestration-case-studies"],
    ["../../etc/passwd", "etc-passwd"],
    ["..", "w-5ec1f7"],
    ["", "w-e3b0c4"],
    ["日本語", "w-77710a"],
    ["Ärger im Büro", "rger-im-b-ro-040392"],
    ["x".repeat(50), "x".repeat(50)],
    [`${"x".repeat(42)} ${"y".repeat(20)}`, `${"x".repeat(42)}-d25b36`],
  ])("is, for %j, %s", (name, slug) => {
    expect(slugOf(name)).toBe(slug);
  });

  it("is lower case, at most 50 characters, never empty and never a way out, whatever the name", () => {
    fc.assert(
      fc.property(fc.string({ unit: anyCharacter, maxLength: 200 }), (name) => {
        expect(slugOf(name)).toMatch(/^[a-z0-9](?:[a-z0-9-]{0,48}[a-z0-9])?$/);
      }),
      cases({ quick: 30, long: 2_000, soak: 50_000 }),
    );
  });

  it("keeps names in other scripts and long names apart", () => {
    const names = ["日本", "中国", "Ä", "Ö", `${"x".repeat(60)}1`, `${"x".repeat(60)}2`, "!", "?"];
    expect(new Set(names.map(slugOf)).size).toBe(names.length);
  });
});
