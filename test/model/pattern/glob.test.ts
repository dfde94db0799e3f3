import { mkdirSync, mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { glob } from "tinyglobby";
import { describe, expect, it } from "vitest";
import { compileGlob } from "../../../src/model/pattern/glob.ts";
import { matchesWhole } from "../../../src/model/pattern/pattern.ts";

function matches(glob: string, path: string): boolean {
  const compiled = compileGlob(glob);
  if (!compiled.ok) throw new Error(`${compiled.column}: ${compiled.problem}`);
  return matchesWhole(compiled.pattern, path);
}

describe("a glob", () => {
  it.each([
    ["*.md", ["a.md", ".md", "日本.md"], ["a.txt", "docs/a.md", "a.md.bak"]],
    ["**/*.md", ["a.md", "docs/a.md", "docs/b/c/a.md", ".x/a.md"], ["docs/a.txt"]],
    ["docs/**", ["docs/a", "docs/a/b"], ["docs", "doc/a"]],
    ["docs/**/plan.md", ["docs/plan.md", "docs/a/b/plan.md"], ["plan.md", "docs/xplan.md"]],
    ["a**b", ["ab", "axxb"], ["a/b"]],
    ["?.md", ["a.md", "é.md", "🙂.md"], ["ab.md", "/.md"]],
    ["[a-c]x[!0-9]", ["axy", "cx-"], ["dxy", "ax1", "ax/"]],
    ["{docs/**,src}/*.md", ["docs/a/b.md", "src/b.md"], ["lib/b.md", "src/a/b.md"]],
    ["{a,b{c,d}}.md", ["a.md", "bc.md", "bd.md"], ["b.md"]],
    ["{a..c}.md", ["a.md", "c.md"], ["d.md"]],
    ["@(a|b)+(c|d)?(e)*(f)", ["ac", "bcdcdeff"], ["a", "e"]],
    ["{id}.md", ["{id}.md"], ["id.md"]],
    ["app/[id/page*", ["app/[id/page.tsx"], ["app/i/page.tsx"]],
    ["a\\*b", ["a*b"], ["axb"]],
    ["./docs/*.md/", ["docs/a.md"], ["./docs/a.md"]],
  ])("%s", (pattern, yes, no) => {
    for (const path of yes) expect([path, matches(pattern, path)]).toEqual([path, true]);
    for (const path of no) expect([path, matches(pattern, path)]).toEqual([path, false]);
  });

  it.each([
    ["a".repeat(501), "is longer than 500 characters"],
    ["{a,".repeat(30) + "}".repeat(30), "is nested too deeply"],
    ["src/!(a).md", "has !(...), which is not supported; name what must exist instead"],
  ])("that is refused says why: %s", (pattern, problem) => {
    expect(compileGlob(pattern)).toMatchObject({ ok: false, problem });
  });

  it("ends where a backtracking matcher would not", () => {
    const name = "a".repeat(250);
    for (const pattern of [
      `${"*a".repeat(100)}b`,
      "+(+(+(a|aa)|aaa))b",
      `${"{a,aa}".repeat(60)}b`,
      `${"**/".repeat(100)}b`,
    ]) {
      expect(matches(pattern, name)).toBe(false);
    }
    expect(matches("{".repeat(500), "{".repeat(500))).toBe(true);
  });

  it("agrees with a widely used matcher on what both can say", async () => {
    const root = mkdtempSync(join(tmpdir(), "holdfast-glob-"));
    const names = ["a.md", "ab.md", "b.txt", ".c.md", "x/a.md", "x/y/a.md", "x/y/b.txt", "x/[z]/a.md", "y/ab", "y/{a}"];
    for (const name of names) {
      mkdirSync(dirname(join(root, name)), { recursive: true });
      writeFileSync(join(root, name), "x");
    }
    const pieces = [
      "*",
      "**",
      "a*",
      "?.md",
      "[ab].md",
      "{a,b}.*",
      "x",
      "{x,y}",
      "[^x]",
      "*.m?",
      "@(a|ab).md",
      "\\[z\\]",
    ];
    const patterns = pieces.flatMap((one) => [one, ...pieces.flatMap((two) => [`${one}/${two}`, `${one}/${two}/*`])]);
    // The other one lets `a/**` match the file `a`.
    for (const pattern of patterns.filter((each) => !each.endsWith("/**"))) {
      const expected = (await glob(pattern, { cwd: root, dot: true, expandDirectories: false })).sort();
      expect([pattern, names.filter((name) => matches(pattern, name)).sort()]).toEqual([pattern, expected]);
    }
  });
});
