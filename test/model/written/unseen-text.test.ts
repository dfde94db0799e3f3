import { expect, test } from "vitest";
import { replaceUnseen, unseen } from "../../../src/model/written/unseen-text.ts";

test("every unseen character is replaced, and no other, however common the rest of the text is", () => {
  // The planes with scripts and signs, and the one with tags.
  const codes = Array.from({ length: 0x2_20_00 }, (_, index) => (index < 0x2_00_00 ? index : 0xc_00_00 + index));
  const wrong = codes.filter((code) => {
    const text = `a${String.fromCodePoint(code)}é`;
    return (replaceUnseen(text, () => "") === "aé") !== text.search(unseen()) > -1;
  });
  expect(wrong).toEqual([]);
});
