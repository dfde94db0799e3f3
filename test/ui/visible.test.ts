import { expect, test } from "vitest";
import { visiblePieces, visibleText } from "../../src/ui/parts/visible.ts";

test.each([
  ["an override of the direction", "safe\u202Etxt.exe", "safeU+202Etxt.exe"],
  ["an isolate", "a\u2066b\u2069c", "aU+2066bU+2069c"],
  ["an escape of a terminal", "\u001B[31mred", "U+001B[31mred"],
  ["an invisible space", "pass\u200Bword", "passU+200Bword"],
  ["a separator of lines", "one\u2028two", "oneU+2028two"],
  ["tags, which nobody sees", "hi\u{E0041}", "hiU+E0041"],
  ["a carriage return that would overwrite the line", "bad\rgood", "badU+000Dgood"],
])("%s is shown by its name", (_what, text, shown) => {
  expect(visibleText(text)).toBe(shown);
});

test.each([
  ["lines and tabs", "one\n\ttwo"],
  ["a family, whose emoji are joined", "\u{1F469}\u200D\u{1F467}"],
  ["a heart in colour", "\u2764\uFE0F"],
  ["text from right to left", "שלום"],
  ["markup, which is only text here", "<script>alert(1)</script>"],
])("%s stay as they are", (_what, text) => {
  expect(visibleText(text)).toBe(text);
});

test("the end of a line on Windows is only the end of a line", () => {
  expect(visibleText("one\r\ntwo")).toBe("one\ntwo");
});

test("the name of a character is told apart from text that says the same", () => {
  expect(visiblePieces("U+202E\u202E")).toEqual([
    { text: "U+202E", isHidden: false },
    { text: "U+202E", isHidden: true },
  ]);
});
