import { expect, test } from "vitest";
import { unseen } from "../../src/model/written/unseen-text.ts";
import { visiblePieces, visibleText } from "../../src/ui/parts/visible.ts";

test("whatever the server calls unseen is shown by its name", () => {
  const text = Array.from({ length: 0x11_00_00 }, (_, code) => `${String.fromCodePoint(code)}a`).join("");
  const names = [...text.matchAll(unseen())].map(([character]) => visibleText(character));
  const hidden = visiblePieces(text).filter(({ isHidden }) => isHidden);
  expect(hidden.map((piece) => piece.text)).toEqual(names);
  expect(names).toContain("U+00AD");
});
