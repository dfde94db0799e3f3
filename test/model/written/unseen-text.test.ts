import { expect, test } from "vitest";
import { replaceUnseen, unseen } from "../../../src/model/written/unseen-text.ts";

test("every unseen character is replaced, and no other, however common the rest of the text is", () => {
  const wrong = Array.from({ length: 0x11_00_00 }, (_, code) => code).filter((code) => {
    const text = `a${String.fromCodePoint(code)}é`;
    return (replaceUnseen(text, () => "") === "aé") !== text.search(unseen()) > -1;
  });
  expect(wrong).toEqual([]);
});
