import { describe, expect, it } from "vitest";
import { compilePattern, matchesWhole } from "../../../src/model/pattern/pattern.ts";

function matches(pattern: string, text: string): boolean {
  const compiled = compilePattern(pattern);
  if (!compiled.ok) throw new Error(`${compiled.column}: ${compiled.problem}`);
  return matchesWhole(compiled.pattern, text);
}

describe("a pattern", () => {
  it.each([
    ["[A-Z]+-[0-9]+", ["ENG-1", "A-123456"], ["eng-1", "ENG-", "-1", "ENG-1 ", "xENG-1", "ENG-1\n"]],
    ["^v\\d+(\\.\\d+){2}$", ["v1.2.3", "v10.20.30"], ["1.2.3", "v1.2", "v1.2.3.4", "v1.2.x"]],
    ["(?:feat|fix)(\\([a-z-]+\\))?: .+", ["feat: x", "fix(my-api): y z"], ["feat:x", "docs: x", "fix(): x"]],
    ["a{2,3}", ["aa", "aaa"], ["a", "aaaa", ""]],
    ["a{0,2}b?", ["", "a", "aab", "b"], ["aaa", "bb"]],
    ["a{2,}", ["aa", "aaaaaaa"], ["a"]],
    ["[^/\\s]+", ["name", "a.b"], ["a/b", "a b", "a\u00a0b", ""]],
    ["[\\w.-]+", ["a.b-c_9"], ["a b", "é"]],
    [".", ["x", "é", "🙂"], ["", "\n", "ab"]],
    ["[😀-😎]+", ["😀😎"], ["x"]],
    ["a|b|", ["a", "b", ""], ["c"]],
    ["\\.\\*\\[\\{", [".*[{"], ["xx[{"]],
    ["a{x}", ["a{x}"], ["a"]],
    ["[a-]", ["a", "-"], ["b"]],
    ["(a*)*", ["", "aaa"], ["b"]],
    ["\\D\\W\\S\\t", ["x x\t"], ["1 x\t"]],
  ])("%s", (pattern, yes, no) => {
    for (const text of yes) expect([text, matches(pattern, text)]).toEqual([text, true]);
    for (const text of no) expect([text, matches(pattern, text)]).toEqual([text, false]);
  });

  it("agrees with regular expressions on what both can say", () => {
    const pieces = ["a", "b", "[ab]", "[^a]", ".", "(a|b)", "(ab)?", "a*", "(a+)+", "b{1,2}", "(a|ab)(c|bcd)*"];
    const texts = ["", "a", "b", "ab", "ba", "aab", "abab", "abcd", "abbcd", "ccc", "aaaaab"];
    for (const first of pieces) {
      for (const second of pieces) {
        const pattern = first + second;
        const oracle = new RegExp(`^(?:${pattern})$`, "u");
        for (const text of texts) {
          expect([pattern, text, matches(pattern, text)]).toEqual([pattern, text, oracle.test(text)]);
        }
      }
    }
  });

  it("ends where a backtracking matcher would not", () => {
    const long = "a".repeat(1_000);
    for (const pattern of ["(a*)*b", "(a|a)*b", "(a|aa)+b", "(.*)*x", "(a?){100}a{100}b", "((a{0,10}){0,10})*b"]) {
      expect(matches(pattern, long)).toBe(false);
    }
  });

  it("of nested repetitions of nothing compiles", () => {
    expect(matches("((((){100}){100}){100}){100}", "")).toBe(true);
  });

  it.each([
    ["(".repeat(50), 22, "is nested too deeply"],
    ["a{101}", 2, "repeats more than 100 times"],
    ["a{3,2}", 2, "the second number must not be smaller"],
    ["a\\", 2, "ends with a single \\"],
    ["a)", 2, '")" has nothing to apply to here; for the character, write \\)'],
    ["a^b", 2, '"^" has nothing to apply to here; the whole value is matched; for the character, write \\^'],
    ["[]", 1, "the class that begins here has no characters"],
    ["[\\d-z]", 2, '"\\\\d-z" is not a range of characters'],
    ["\\bword", 1, '"\\\\b" is not supported; a pattern has no lookaround and no references'],
    ["(?<name>a)", 1, '"(?<" is not supported; a pattern has no lookaround and no references'],
  ])("%s is refused at its column", (pattern, column, problem) => {
    expect(compilePattern(pattern)).toEqual({ ok: false, column, problem });
  });
});
